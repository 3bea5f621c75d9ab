"""Rows of a profiler's CSV file, read defensively: no number is guessed from a damaged line."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from io import TextIOWrapper
from pathlib import Path
from typing import Optional, TextIO

from rocm_perf_lab.trace.files.packed import is_packed, open_plain
from rocm_perf_lab.trace.model import UNKNOWN

_LONGEST_FIELD = 1 << 24  # demangled names of template kernels outgrow the default limit
_LARGEST = (1 << 63) - 1


class CsvRow:
    """One line; a column may be asked for under the several names it has had.

    A plain class with slots: there are millions, and each lives for a moment.
    """

    __slots__ = ("columns", "values")

    def __init__(self, values: Sequence[str], columns: Mapping[str, int]) -> None:
        self.values = values
        self.columns = columns

    def text(self, *names: str) -> Optional[str]:
        for name in names:
            position = self.columns.get(name)
            if position is not None and self.values[position]:
                return self.values[position]
        return None

    def optional_integer(self, *names: str) -> Optional[int]:
        text = self.text(*names)
        return None if text is None else parse_integer(text)

    def integer(self, *names: str) -> int:
        """``UNKNOWN`` for a column that is absent, empty or not an integer."""
        for name in names:
            position = self.columns.get(name)
            if position is not None and (text := self.values[position]):
                value = parse_integer(text)
                return UNKNOWN if value is None else value
        return UNKNOWN

    def real(self, *names: str) -> float:
        """NaN for a column that is absent or not a number."""
        try:
            return float(self.text(*names) or "nan")
        except ValueError:
            return float("nan")


def read_rows(path: Path, warnings: list[str]) -> Iterator[CsvRow]:
    """Every complete line of the file; what had to be left out is added to ``warnings``."""
    csv.field_size_limit(_LONGEST_FIELD)
    complete = _ends_with_newline(path)
    incomplete_lines = 0
    with open_text(path) as stream:
        # Strict: a quote that the end of the file leaves open is an error, not a shorter value.
        lines = csv.reader(stream, strict=True)
        columns: dict[str, int] = {}
        previous: Optional[list[str]] = None
        try:
            columns = {name.strip(): index for index, name in enumerate(next(lines, []))}
            for values in lines:
                if previous is not None:
                    yield CsvRow(previous, columns)
                previous = values if len(values) >= len(columns) else None
                incomplete_lines += previous is None and any(values)
            if previous is not None and complete:
                yield CsvRow(previous, columns)
            incomplete_lines += previous is not None and not complete
        except csv.Error as error:
            if previous is not None:
                yield CsvRow(previous, columns)
            warnings.append(f"{path.name}: rows from line {lines.line_num} on are lost: {error}")
    if incomplete_lines:
        warnings.append(f"{path.name}: left out {incomplete_lines} lines that are cut short")


def parse_integer(text: str) -> Optional[int]:
    """A 64-bit integer, also from "0x1f" or "12.000"; never by way of a float."""
    try:
        value = int(text)
    except ValueError:
        return _parse_unusual(text)
    return value if -_LARGEST <= value <= _LARGEST else None


def _parse_unusual(text: str) -> Optional[int]:
    try:
        value = int(text, 16) if text[:2].lower() == "0x" else None
    except ValueError:
        value = None
    if value is None:
        return _parse_decimal(text)
    return value if -_LARGEST <= value <= _LARGEST else None


def _parse_decimal(text: str) -> Optional[int]:
    try:
        number = Decimal(text)
        if not -_LARGEST <= number <= _LARGEST or number != number.to_integral_value():
            return None
        return int(number)
    except ArithmeticError:  # not a number, or of an absurd size
        return None


def open_text(path: Path) -> TextIO:
    """A CSV file, compressed or not."""
    return TextIOWrapper(open_plain(path), encoding="utf-8-sig", errors="replace", newline="")


def _ends_with_newline(path: Path) -> bool:
    if is_packed(path):
        return True  # a cut file fails to decompress
    with open(path, "rb") as stream:
        size = stream.seek(0, 2)
        if size == 0:
            return True
        stream.seek(size - 1)
        return stream.read(1) == b"\n"
