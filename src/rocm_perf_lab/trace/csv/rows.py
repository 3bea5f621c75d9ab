"""Rows of a profiler's CSV file, read defensively: no number is guessed from a damaged line."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from io import StringIO, TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Optional, TextIO

from rocm_perf_lab.trace.csv.quoted import QuotedLines, quoted_lines
from rocm_perf_lab.trace.files.packed import is_packed, open_plain
from rocm_perf_lab.trace.model import UNKNOWN

_LONGEST_FIELD = 1 << 24  # demangled names of template kernels outgrow the default limit
_LARGEST = (1 << 63) - 1
_BLOCK = 1000  # lines; with more of them the values no longer fit into a cache
_CHUNK = 1 << 21  # characters; with fewer of them calls cost more than what they do

Lines = list[list[str]]
Texts = Sequence[Sequence[str]]  # the fields of some lines, column by column


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
    for columns, texts in read_blocks(path, warnings):
        for values in zip(*texts):
            yield CsvRow(values, columns)


def read_blocks(path: Path, warnings: list[str]) -> Iterator[tuple[Mapping[str, int], Texts]]:
    """The same as the numbers of columns and a thousand lines at a time."""
    csv.field_size_limit(_LONGEST_FIELD)
    with open_text(path) as stream:
        source = _Blocks(stream)
        columns = {name.strip(): index for index, name in enumerate(source.header())}
        incomplete = 0
        for texts in source.regular():
            yield columns, texts
        for lines in source.blocks():
            whole = lines
            if lines and min(map(len, lines)) < len(columns):
                whole = [values for values in lines if len(values) >= len(columns)]
                incomplete += sum(len(v) < len(columns) and any(v) for v in lines)
            if source.ended and not source.error and not _ends_with_newline(path):
                last_is_whole = bool(lines) and len(lines[-1]) >= len(columns)
                incomplete += last_is_whole
                whole = whole[:-1] if last_is_whole else whole
            if whole:
                yield columns, list(zip(*whole))
        if source.error:
            warnings.append(
                f"{path.name}: rows from line {source.line} on are lost: {source.error}"
            )
    if incomplete:
        warnings.append(f"{path.name}: left out {incomplete} lines that are cut short")


def line_of(texts: Texts, number: int) -> list[str]:
    """The fields of one of the lines."""
    if isinstance(texts, QuotedLines):
        return texts.line(number)
    return [values[number] for values in texts]


class _Blocks:
    """Blocks of lines; a damaged line ends them, and ``error`` describes it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        # Strict: a quote that the end of the file leaves open is an error, not a shorter value.
        self._reader = csv.reader(stream, strict=True)
        self._split = 0  # lines that the reader has not seen
        self._columns = 0
        self.ended = False
        self.error: Optional[csv.Error] = None

    @property
    def line(self) -> int:
        return self._split + self._reader.line_num

    def header(self) -> list[str]:
        try:
            found = next(self._reader, [])
        except csv.Error as error:
            self.ended, self.error = True, error
            return []
        self._columns = len(found)
        return found

    def regular(self) -> Iterator[Texts]:
        """As rocprofv3 writes them, lines need no more than to be split. What is not so, and all
        behind it, is left to the reader."""
        while not self.ended:
            text = self._stream.read(_CHUNK)
            text += self._stream.readline()  # the rest of its last one
            is_usual = len(text) <= _LONGEST_FIELD  # what is longer, the reader refuses
            texts = quoted_lines(text, self._columns) if is_usual else None
            if texts is None:
                self._split += self._reader.line_num
                lines = StringIO(text, newline="")
                self._reader = csv.reader(chain(lines, self._stream), strict=True)
                return
            self._split += texts.newlines
            yield texts

    def blocks(self) -> Iterator[Lines]:
        """The last line comes with the last block: only then is known that it is the last."""
        held: Lines = []
        while not self.ended:
            lines = held
            try:
                lines.extend(islice(self._reader, _BLOCK))
            except csv.Error as error:  # what came before it is in the list
                self.error = error
            self.ended = self.error is not None or len(lines) < _BLOCK
            held = [] if self.ended else [lines.pop()]
            yield lines


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
