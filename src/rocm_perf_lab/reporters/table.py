"""Plain-text tables that fit: names give way first, then gaps, then columns go below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, Optional

from msgspec import Struct

from rocm_perf_lab.reporters import terminal

Shorten = Callable[[Sequence[str], int], Sequence[str]]
_GAPS = (2, 1)


class Column(Struct, frozen=True):
    title: str
    align_left: bool = False
    shorten: Optional[Shorten] = None  # its cells, all together, to a width; else never shortened
    least: int = 16  # not shortened below


def render(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns under their titles, as wide as the terminal at most.

    Where even shortened cells do not fit, the last columns go into tables of their own below, each
    with the first column again: nothing is left out.
    """
    room = terminal.width()
    for gap in _GAPS:
        widths = _fitted(columns, rows, room - gap * (len(columns) - 1))
        if widths is not None:
            return _lines(columns, rows, widths, gap)
    cut = _cut(_least(columns, rows), room)
    parts = (range(cut), [0, *range(cut, len(columns))])
    return "\n\n".join(
        render([columns[i] for i in part], [[row[i] for i in part] for row in rows])
        for part in parts
    )


def clipped(cells: Sequence[str], width: int) -> list[str]:
    return [text if len(text) <= width else text[: width - 2] + ".." for text in cells]


def _natural(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    return [
        max(len(column.title), *(len(row[i]) for row in rows), 0)
        for i, column in enumerate(columns)
    ]


def _least(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    return [
        natural if column.shorten is None else min(natural, max(column.least, len(column.title)))
        for column, natural in zip(columns, _natural(columns, rows))
    ]


def _fitted(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int
) -> Optional[list[int]]:
    """The width of each column; the widest of those that can be shortened gives way first."""
    widths, least = _natural(columns, rows), _least(columns, rows)
    if sum(least) > room:
        return None if len(columns) > 2 else least
    excess = sum(widths) - room
    while excess > 0:
        giving = [i for i in range(len(widths)) if widths[i] > least[i]]
        widest = max(giving, key=lambda i: widths[i])
        second = max((widths[i] for i in giving if i != widest), default=0)
        step = min(excess, widths[widest] - max(least[widest], second - 1))
        widths[widest] -= step
        excess -= step
    return widths


def _cut(least: Sequence[int], room: int) -> int:
    """How many columns stay above: two halves of about the same width, or as many as fit."""
    gap = _GAPS[-1]

    def taken(widths: Sequence[int]) -> int:
        return sum(widths) + gap * (len(widths) - 1)

    cuts = range(2, len(least))
    halves = {cut: (taken(least[:cut]), taken([least[0], *least[cut:]])) for cut in cuts}
    fitting = [cut for cut in cuts if max(halves[cut]) <= room]
    if fitting:
        return min(fitting, key=lambda cut: max(halves[cut]))
    return max((cut for cut in cuts if halves[cut][0] <= room), default=2)


def _lines(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], widths: Sequence[int], gap: int
) -> str:
    shown = [
        _cells(column, [row[i] for row in rows], widths[i]) for i, column in enumerate(columns)
    ]
    lines = []
    for row in zip(*shown):
        parts = [
            text.ljust(width) if column.align_left else text.rjust(width)
            for text, width, column in zip(row, widths, columns)
        ]
        lines.append((" " * gap).join(parts).rstrip())
    return "\n".join(lines)


def _cells(column: Column, cells: Sequence[str], width: int) -> list[str]:
    if column.shorten is None:
        return [column.title, *cells]
    different = list(dict.fromkeys(cells))  # equal ones stay equal
    short = dict(zip(different, column.shorten(different, width)))
    return [column.title, *(short[cell] for cell in cells)]
