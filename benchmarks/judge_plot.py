"""The table of recorded noise in README.md as a picture: gains found, plain rule and judge."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

PAGE = Path(__file__).parent / "README.md"
PICTURE = Path(__file__).parent / "judge-recorded.svg"
WIDTH, LEFT, RIGHT, TOP, ROW = 760, 130, 24, 56, 34
INK, GRID, PLAIN, JUDGE = "#333333", "#dddddd", "#c9c9c9", "#1f6fb2"


@dataclass(frozen=True)
class Row:
    case: str
    plain: tuple[float, float]  # percent of B2, of B5
    judge: tuple[float, float]


def rows_of(text: str) -> list[Row]:
    """Of the tables of B2 and B5: | alone gather | 100 % | 100 % | ... | 100 % | 12 |."""
    found: dict[str, list[tuple[float, float]]] = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8 and re.match(r"(alone|beside) \w+$", cells[0]):
            plain, judge = (float(cells[i].rstrip(" %")) for i in (2, 6))
            found.setdefault(cells[0], []).append((plain, judge))
    return [Row(case, (b2[0], b5[0]), (b2[1], b5[1])) for case, (b2, b5) in sorted(found.items())]


def svg(rows: list[Row]) -> str:
    height = TOP + ROW * len(rows) + 12
    panel = (WIDTH - LEFT - RIGHT - 30) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        '<text x="12" y="20" font-size="14">True gains found on recorded noise: plain rule with '
        "24 blocks (grey), judge with its plan of up to 96 (blue)</text>",
    ]
    for side, title in enumerate(("2 % less work", "5 % less work")):
        x = LEFT + side * (panel + 30)
        parts.append(f'<text x="{x:.0f}" y="44">{title}</text>')
        for index, row in enumerate(rows):
            y = TOP + ROW * index
            if side == 0:
                parts.append(f'<text x="12" y="{y + 18}">{escape(row.case)}</text>')
            parts.append(_bar(x, y + 2, panel, row.plain[side], PLAIN))
            parts.append(_bar(x, y + 15, panel, row.judge[side], JUDGE))
        bottom = TOP + ROW * len(rows)
        parts += [
            f'<line x1="{x + panel * at:.1f}" y1="{TOP}" x2="{x + panel * at:.1f}" y2="{bottom}" '
            f'stroke="{GRID}"/>'
            for at in (0, 0.5, 1)
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _bar(x: float, y: float, panel: float, percent: float, colour: str) -> str:
    width = panel * percent / 100
    label = f'<text x="{x + width + 3:.1f}" y="{y + 10}" font-size="10">{percent:g}</text>'
    if percent > 90:
        label = (
            f'<text x="{x + width - 3:.1f}" y="{y + 10}" font-size="10" text-anchor="end" '
            f'fill="white">{percent:g}</text>'
        )
    return f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="12" fill="{colour}"/>{label}'


def draw() -> None:
    PICTURE.write_text(svg(rows_of(PAGE.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    draw()
