"""A tuning as a picture: every measurement in its order, the best so far, which parameters matter.

One file without scripts or links: an SVG, or a page around it with the best parameters as text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Optional

from rocm_perf_lab.reporters import terminal
from rocm_perf_lab.reporters.decisions.tuning import render_tuning
from rocm_perf_lab.tune.tuning_schema import TuningDocument

WIDTH, HEIGHT, LEFT, TOP, BAR = 640, 260, 80, 44, 22
INK, GRID, DOT, LINE, BAD = "#333333", "#dddddd", "#8fb8da", "#1f6fb2", "#b35806"
_LINES = 4  # of the scale


def tuning_page(document: TuningDocument) -> str:
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>rocm-perf autotune</title>\n'
        '<body style="font-family: sans-serif; max-width: 60em; margin: 2em auto">\n'
        f"{tuning_svg(document)}"
        f"<pre>{escape(_text(document))}</pre>\n</body></html>\n"
    )


def _text(document: TuningDocument) -> str:
    with terminal.for_a_file():
        return render_tuning(document)


def tuning_svg(document: TuningDocument) -> str:
    ranked = sorted(document.importance.items(), key=lambda entry: -entry[1])
    height = TOP + HEIGHT + 50 + (BAR * len(ranked) + 30 if ranked else 0)
    virtual = ", virtual device" if document.virtual else ""
    unit = " (ms)" if document.best_config and document.best_config.runtime_ms else ""
    title = f"{document.objective}{unit} of {len(document.measurements)} measurements{virtual}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {height}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}">',
        f'<rect width="{LEFT + WIDTH + 20}" height="{height}" fill="white"/>',
        f'<text x="12" y="22" font-size="15">{escape(title)}</text>',
        *_measurements([one.value for one in document.measurements]),
        *_importance(ranked, TOP + HEIGHT + 60),
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


@dataclass(frozen=True)
class _Scale:
    """Time is logarithmic."""

    count: int
    low: float
    high: float

    def x(self, number: int) -> float:
        return LEFT + WIDTH * number / max(1, self.count - 1)

    def y(self, value: float) -> float:
        span = math.log(self.high / self.low) or 1.0
        return TOP + HEIGHT * math.log(self.high / value) / span

    def lines(self) -> list[str]:
        parts = []
        for step in range(_LINES + 1):
            value = self.low * (self.high / self.low) ** (step / _LINES)
            y = self.y(value)
            parts.append(
                f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}" '
                f'stroke="{GRID}"/><text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">'
                f"{value:.4g}</text>"
            )
        return parts


def _measurements(values: Sequence[Optional[float]]) -> list[str]:
    good = [value for value in values if value is not None]
    if not good:
        return [f'<text x="{LEFT}" y="{TOP + 40}">nothing could be measured</text>']
    scale = _Scale(len(values), min(good), max(good))
    parts, points = scale.lines(), []
    best: Optional[float] = None
    for number, value in enumerate(values):
        x = scale.x(number)
        if value is None:
            parts.append(f'<text x="{x - 3:.1f}" y="{TOP - 4}" fill="{BAD}">x</text>')
            continue
        parts.append(f'<circle cx="{x:.1f}" cy="{scale.y(value):.1f}" r="3" fill="{DOT}"/>')
        if best is not None:
            points.append(f"{x:.1f},{scale.y(best):.1f}")
        best = value if best is None else min(best, value)
        points.append(f"{x:.1f},{scale.y(best):.1f}")
    parts.append(
        f'<polyline points="{" ".join(points)}" fill="none" stroke="{LINE}" stroke-width="2"/>'
        f'<text x="{LEFT}" y="{TOP + HEIGHT + 20}">in the order of measurement; line: best so '
        f'far; <tspan fill="{BAD}">x</tspan>: did not work</text>'
    )
    return parts


def _importance(ranked: Sequence[tuple[str, float]], top: int) -> list[str]:
    if not ranked:
        return []
    parts = [f'<text x="12" y="{top}">What matters, of what the model explains</text>']
    for place, (name, part) in enumerate(ranked):
        at, width = top + 8 + BAR * place, 0.7 * WIDTH * part
        parts.append(
            f'<text x="{LEFT + 60}" y="{at + 15}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{LEFT + 68}" y="{at + 3}" width="{width:.1f}" height="{BAR - 6}" '
            f'fill="{LINE}"/><text x="{LEFT + 74 + width:.1f}" y="{at + 15}">'
            f"{part:.0%}</text>"
        )
    return parts
