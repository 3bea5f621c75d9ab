"""Plain-text tables and the few units they need: ASCII only, no colour, fixed width."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

WIDTH = 100
ABSENT = "-"


@dataclass(frozen=True)
class Column:
    title: str
    align_left: bool = False


def render(columns: Sequence[Column], rows: Sequence[Sequence[str]], gap: str = "  ") -> str:
    """Aligned columns under their titles. The caller keeps cells short enough for the width."""
    cells = [[column.title for column in columns], *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    lines = []
    for row in cells:
        parts = [
            text.ljust(width) if column.align_left else text.rjust(width)
            for text, width, column in zip(row, widths, columns)
        ]
        lines.append(gap.join(parts).rstrip())
    return "\n".join(lines)


def ascii_only(text: str) -> str:
    """Replaces what a terminal without UTF-8, or a hostile kernel name, would garble."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)


def wrap(text: str) -> str:
    """A sentence on as many lines as it needs, those after the first indented."""
    return textwrap.fill(ascii_only(text), WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def duration(ns: Optional[float]) -> str:
    """Four significant digits with a unit: 15.92 us, 2.571 ms, 1.200 s."""
    if ns is None:
        return ABSENT
    for limit, scale, unit in ((1e3, 1, "ns"), (1e6, 1e3, "us"), (1e9, 1e6, "ms")):
        if ns < limit:
            return f"{_four_digits(ns / scale)} {unit}"
    return f"{_four_digits(ns / 1e9)} s"


def _four_digits(value: float) -> str:
    if float(value).is_integer() and value < 1000:
        return str(int(value))
    for limit, decimals in ((10, 3), (100, 2), (1000, 1)):
        if round(value, decimals) < limit:  # 9.9996 has four digits as 10.00
            return f"{value:.{decimals}f}"
    return f"{value:.0f}"


def percent(fraction: Optional[float]) -> str:
    return ABSENT if fraction is None else f"{100 * fraction:.1f}%"


def bytes_short(count: Optional[int]) -> str:
    if count is None:
        return ABSENT
    for limit, scale, unit in ((1 << 10, 1, ""), (1 << 20, 1 << 10, "K"), (1 << 30, 1 << 20, "M")):
        if count < limit:
            value = count / scale
            return f"{value:.0f}{unit}" if value == int(value) else f"{value:.1f}{unit}"
    return f"{count / (1 << 30):.1f}G"


def whole(count: Optional[int]) -> str:
    return ABSENT if count is None else str(count)
