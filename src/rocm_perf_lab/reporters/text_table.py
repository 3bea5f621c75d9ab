"""What a page for people is made of: tables, sentences that fit, and the few units they need."""

from __future__ import annotations

import textwrap
from typing import Optional

from rocm_perf_lab.reporters import terminal
from rocm_perf_lab.reporters.table import Column as Column
from rocm_perf_lab.reporters.table import clipped as clipped
from rocm_perf_lab.reporters.table import render as render

ABSENT = "-"


def ascii_only(text: str) -> str:
    """Replaces what a terminal without UTF-8, or a hostile kernel name, would garble."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if " " <= c <= "~" else "?" for c in text)


def wrap(text: str, first: str = "", later: str = "  ") -> str:
    """A sentence on as many lines as it needs, those after the first indented.

    A word that is longer than a line is broken, but a path or an address, which people copy.
    """
    width = terminal.prose_width()
    lines = textwrap.wrap(
        ascii_only(text),
        width,
        initial_indent=first,
        subsequent_indent=later,
        break_on_hyphens=False,
        break_long_words=False,
    ) or [first.rstrip()]
    return "\n".join(part for line in lines for part in _broken(line, width, later))


def _broken(line: str, width: int, later: str) -> list[str]:
    if len(line) <= width or "/" in line:
        return [line]
    parts, rest = [line[:width]], line[width:]
    room = width - len(later)
    return parts + [later + rest[i : i + room] for i in range(0, len(rest), room)]


def field(name: str, text: str, width: int = 12) -> str:
    """A line of a list of names and what they are; long texts go on below themselves."""
    return wrap(text, f"{name:<{width}}", " " * width)


def clip(line: str) -> str:
    """A line that people look at and nobody needs to its end."""
    return clipped([ascii_only(line)], terminal.width())[0]


def closing(text: str) -> str:
    """The last line: one line for programs, as many as needed for a person at a terminal."""
    line = ascii_only(text)
    return wrap(line) if terminal.is_watched() else line


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
