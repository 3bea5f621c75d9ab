"""The roofline as a drawing of characters: roofs as lines, a letter for each kernel."""

from __future__ import annotations

import math
import sys

from rocm_perf_lab.report.roofline import Point, Roof, RooflinePicture
from rocm_perf_lab.reporters import terminal
from rocm_perf_lab.reporters import text_table as tt
from rocm_perf_lab.reporters.kernel_names import short_names

_ROWS, _MARGIN = 14, 9  # the margin holds numbers of the scale
_LETTERS = "ABCDEFGHIJ"
_LEVEL = "fabric"  # one letter a kernel; the page for a browser shows the other levels
_UNICODE, _ASCII = "\u2571\u2500\u2502\u2514", "/-|+"  # a slope, a roof, the wall, the corner


class _Canvas:
    """Both scales are logarithmic."""

    def __init__(self, picture: RooflinePicture) -> None:
        self.columns = terminal.prose_width() - _MARGIN - 1
        self.x, self.y = (
            (math.log10(low), math.log10(high)) for low, high in (picture.x_range, picture.y_range)
        )
        self.cells = [[" "] * self.columns for _ in range(_ROWS)]

    def column(self, intensity: float) -> int:
        low, high = self.x
        return round((math.log10(intensity) - low) / (high - low) * (self.columns - 1))

    def intensity(self, column: int) -> float:
        low, high = self.x
        return math.pow(10.0, low + (high - low) * column / (self.columns - 1))

    def row(self, rate: float) -> int:
        low, high = self.y
        return round((high - math.log10(rate)) / (high - low) * (_ROWS - 1))

    def put(self, intensity: float, rate: float, character: str) -> None:
        column, row = self.column(intensity), self.row(rate)
        if 0 <= column < self.columns and 0 <= row < _ROWS:
            self.cells[row][column] = character


def drawn_roofline(picture: RooflinePicture) -> str:
    slope, level, wall, corner = tuple(_UNICODE if terminal.draws(sys.stdout, _UNICODE) else _ASCII)
    canvas = _Canvas(picture)
    roofs = _drawn(picture)
    for roof in roofs:
        _draw_roof(canvas, roof, slope if roof.is_memory else level)
    points = [p for p in picture.points if p.level == _LEVEL and p.number < len(_LETTERS)]
    for point in reversed(points):  # the kernel with the most time is on top
        canvas.put(point.intensity, point.flop_rate, _LETTERS[point.number])
    lines = ["Roofline by what leaves L2", f"{'GFLOP/s':>{_MARGIN}}"]
    scale = _scale(canvas)
    for number, cells in enumerate(canvas.cells):
        lines.append(f"{scale.get(number, ''):>{_MARGIN - 1}} {wall}{''.join(cells)}".rstrip())
    lines.append(" " * _MARGIN + corner + level * canvas.columns)
    lines.append(_below(canvas))
    return "\n".join([*lines, *_legend(picture, points, roofs)])


def _draw_roof(canvas: _Canvas, roof: Roof, character: str) -> None:
    (left, low), (right, _) = roof.line
    for column in range(canvas.columns):
        intensity = canvas.intensity(column)
        if left <= intensity <= right:
            canvas.put(intensity, low / left * intensity if roof.is_memory else low, character)


def _scale(canvas: _Canvas) -> dict[int, str]:
    """Powers of ten, by row."""
    low, high = canvas.y
    powers = range(math.ceil(low), math.floor(high) + 1)
    return {canvas.row(10.0**power): _number(10.0 ** (power - 9)) for power in powers}


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 1 else f"{value:g}"


def _below(canvas: _Canvas) -> str:
    line = [" "] * (canvas.columns + _MARGIN + 1)
    low, high = canvas.x
    for power in range(math.ceil(low), math.floor(high) + 1):
        text, at = f"{10.0**power:g}", canvas.column(10.0**power) + _MARGIN + 1
        if at + len(text) <= len(line):
            line[at : at + len(text)] = text
    return "".join(line).rstrip() + "\n" + "FLOP/B".rjust(len(line))


def _drawn(picture: RooflinePicture) -> list[Roof]:
    """The memory under which the letters stand, and the units; the drawing has room for no more."""
    memory = [roof for roof in picture.roofs if roof.is_memory]
    below = min(memory, key=lambda roof: roof.line[0][1] / roof.line[0][0], default=None)
    return [roof for roof in picture.roofs if not roof.is_memory or roof is below]


def _legend(picture: RooflinePicture, points: list[Point], roofs: list[Roof]) -> list[str]:
    names = short_names([point.kernel for point in points], terminal.roomy(32))
    lines = [
        tt.wrap(f"{_LETTERS[point.number]}  {name}", "  ", "     ")
        for point, name in zip(points, names)
    ]
    lines.append(tt.wrap("Roofs: " + "; ".join(roof.text for roof in roofs)))
    if picture.left_out:
        count = len(picture.left_out)
        lines.append(tt.wrap(f"{count} without floating point work that is known: not drawn"))
    return lines
