"""Lines in which each field is quoted and holds no quote, as rocprofv3 writes them.

The places of their quotes say where fields are. A field becomes a text or a number only where
somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, Union, overload

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.trace.model import IntColumn

_QUOTE, _COMMA, _NEWLINE = b'",\n'
_Places = npt.NDArray[np.intp]
_Words = npt.NDArray[np.uint64]
_MOST_DIGITS = 18  # whatever they are, it is a 64-bit number
_BEFORE = 24  # bytes that may be read before the first field: three times eight digits
_ZEROS, _SIXES = np.uint64(0x3030303030303030), np.uint64(0x0606060606060606)
_HIGH_HALVES = np.uint64(0xF0F0F0F0F0F0F0F0)


class QuotedLines(Sequence[Sequence[str]]):
    """The fields of some lines, column by column."""

    def __init__(self, text: str, data: bytes, quotes: _Places) -> None:
        """``quotes``: places in ``data`` by line, column, and before or behind."""
        self._text = text if len(text) == len(data) else None  # places in both are the same
        self._data = data
        # The eight bytes from each place on, also from before the first.
        self._eights: _Words = np.ndarray(
            (_BEFORE + len(data),), "<u8", bytes(_BEFORE) + data + bytes(8), strides=(1,)
        )
        self._quotes = quotes
        self._made: dict[int, list[str]] = {}

    def __len__(self) -> int:
        return int(self._quotes.shape[1])

    @overload
    def __getitem__(self, column: int) -> list[str]: ...
    @overload
    def __getitem__(self, column: slice) -> list[list[str]]: ...
    def __getitem__(self, column: Union[int, slice]) -> Union[list[str], list[list[str]]]:
        if isinstance(column, slice):
            return [self[index] for index in range(*column.indices(len(self)))]
        if not 0 <= column < len(self):
            raise IndexError(column)
        if column not in self._made:
            self._made[column] = self._texts(column)
        return self._made[column]

    def _places(self, column: int) -> tuple[_Places, _Places]:
        return self._quotes[:, column, 0] + 1, self._quotes[:, column, 1]

    def line(self, number: int) -> list[str]:
        places = self._quotes[number].tolist()
        return [self._data[first + 1 : end].decode("utf-8") for first, end in places]

    def spans(self, first: int, last: int) -> list[str]:
        """What the file has from one column to another, quotes between them included."""
        return self._sliced(self._places(first)[0], self._places(last)[1])

    def _texts(self, column: int) -> list[str]:
        first, end = self._places(column)
        one = self._data[int(first[0]) : int(end[0])]
        if self._are_all(one, first, end):
            return [one.decode("utf-8")] * len(first)
        return self._sliced(first, end)

    def _sliced(self, first: _Places, end: _Places) -> list[str]:
        pairs = zip(first.tolist(), end.tolist())
        if self._text is not None:
            return [self._text[begin:behind] for begin, behind in pairs]
        return [self._data[begin:behind].decode("utf-8") for begin, behind in pairs]

    def _are_all(self, value: bytes, first: _Places, end: _Places) -> bool:
        """A column often has one value: there may be one agent, one queue."""
        if (end - first != len(value)).any():
            return False
        for place in range(0, len(value), 8):
            part = value[place : place + 8]
            mask = np.uint64((1 << 8 * len(part)) - 1)
            found = self._eights[first + (_BEFORE + place)] & mask
            if (found != np.uint64(int.from_bytes(part, "little"))).any():
                return False
        return True

    def integers(self, column: int) -> Optional[IntColumn]:
        """None where a field is anything but a few digits."""
        first, end = self._places(column)
        lengths = end - first
        shortest, longest = int(lengths.min()), int(lengths.max())
        if shortest == 0 or longest > _MOST_DIGITS:
            return None
        found = np.zeros(len(first), dtype=np.uint64)
        for group in reversed(range((longest + 7) // 8)):
            digits = self._eights[end + (_BEFORE - 8 * (group + 1))] ^ _ZEROS
            if shortest < 8 * (group + 1):  # what stands before them is no digit of theirs
                before = 8 * (group + 1) - (longest if shortest == longest else lengths)
                others = np.clip(before, 0, 8).astype(np.uint64) * np.uint64(8)
                digits = np.where(others < 64, digits >> others << others, np.uint64(0))
            if ((digits | digits + _SIXES) & _HIGH_HALVES).any():  # above 9
                return None
            found *= 10**8
            found += _eight_digits(digits)
        return found.astype(np.int64)


def _eight_digits(digits: _Words) -> _Words:
    """The numbers of eight digits each, a byte a digit, the first the lowest: neighbours are joined
    to numbers of two, of four and of eight digits."""
    twos = digits * np.uint64(10 << 8 | 1) >> np.uint64(8) & np.uint64(0x00FF00FF00FF00FF)
    fours = twos * np.uint64(100 << 16 | 1) >> np.uint64(16) & np.uint64(0x0000FFFF0000FFFF)
    eights: _Words = fours * np.uint64(10000 << 32 | 1) >> np.uint64(32)
    return eights


def quoted_lines(text: str, columns: int) -> Optional[QuotedLines]:
    """Of whole lines; None where they are others."""
    data = text.encode("utf-8", "replace")
    if not columns or not data.endswith(b'"\n'):
        return None
    values = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(values == _QUOTE)
    if len(quotes) % (2 * columns) or quotes[0] != 0:
        return None
    behind = quotes[1::2]
    if (quotes[2::2] - behind[:-1] != 2).any():  # one character is between two fields
        return None
    separators = values[behind + 1].reshape(-1, columns)
    if (separators[:, :-1] != _COMMA).any() or (separators[:, -1] != _NEWLINE).any():
        return None
    return QuotedLines(text, data, quotes.reshape(-1, columns, 2))
