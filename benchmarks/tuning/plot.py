"""Regret against the part of the space that was measured: ours and Kernel Tuner's, as a picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks.tuning.runs import OURS, Run, rows_of

PICTURE = Path(__file__).parents[1] / "autotune.svg"
WIDTH, HEIGHT, LEFT, TOP = 300, 200, 56, 64
LEAST, MOST = 0.1, 1000.0  # percent; the lowest line is everything below
INK, GRID, BLUE = "#333333", "#dddddd", "#1f6fb2"
OTHERS = ("#b35806", "#7a7a7a", "#1b7837", "#762a83", "#c51b7d", "#8c8c00", "#01665e", "#000000")
Curves = dict[str, list[tuple[int, float]]]


def draw(runs: Sequence[Run], best: Mapping[str, float]) -> None:
    PICTURE.write_text(svg(runs, best), encoding="utf-8")


def svg(runs: Sequence[Run], best: Mapping[str, float]) -> str:
    names = sorted({run.strategy for run in runs} - {OURS})
    colours = {OURS: BLUE, **{name: OTHERS[i % len(OTHERS)] for i, name in enumerate(names)}}
    width = LEFT + len(best) * (WIDTH + 40)
    height = TOP + 2 * (HEIGHT + 50) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11" fill="{INK}">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        '<text x="12" y="18" font-size="14">Regret in percent after so many measurements: '
        "median above, 90th percentile below</text>",
        *_legend(colours),
    ]
    for place, (space, least) in enumerate(best.items()):
        budgets = sorted({run.budget for run in runs if run.space == space})
        rows = {budget: rows_of(runs, space, budget, least) for budget in budgets}
        for line, measure in enumerate(("median", "tail")):
            curves: Curves = {}
            for budget, found in rows.items():
                for row in found:
                    value = float(getattr(row, measure))
                    curves.setdefault(row.strategy, []).append((budget, value))
            at = LEFT + place * (WIDTH + 40), TOP + line * (HEIGHT + 50)
            title = space.replace("_T4", "") if line == 0 else ""
            parts += _panel(at, title, budgets, curves, colours)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _legend(colours: Mapping[str, str]) -> list[str]:
    parts, x = [], 12
    for name, colour in colours.items():
        parts.append(f'<text x="{x}" y="38" fill="{colour}">{escape(name)}</text>')
        x += 18 + 6 * len(name)
    return parts


def _panel(
    at: tuple[int, int],
    title: str,
    budgets: Sequence[int],
    curves: Curves,
    colours: Mapping[str, str],
) -> list[str]:
    left, top = at
    parts = [f'<text x="{left}" y="{top - 8}">{escape(title)}</text>']
    for percent in (0.1, 1.0, 10.0, 100.0, 1000.0):
        y = top + _height(percent)
        parts.append(
            f'<line x1="{left}" y1="{y:.1f}" x2="{left + WIDTH}" y2="{y:.1f}" stroke="{GRID}"/>'
            f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{percent:g}</text>'
        )
    places = {budget: left + 10 + i * (WIDTH - 20) / 3 for i, budget in enumerate(budgets)}
    for budget, x in places.items():
        parts.append(f'<text x="{x:.0f}" y="{top + HEIGHT + 16}">{budget}</text>')
    for name in sorted(curves, key=lambda name: name == OURS):  # ours on top
        points = " ".join(f"{places[b]:.1f},{top + _height(v):.1f}" for b, v in curves[name])
        wide = 3 if name == OURS else 1.2
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colours[name]}" '
            f'stroke-width="{wide}"/>'
        )
    return parts


def _height(percent: float) -> float:
    share = math.log10(min(MOST, max(LEAST, percent)) / LEAST) / math.log10(MOST / LEAST)
    return HEIGHT * (1 - share)
