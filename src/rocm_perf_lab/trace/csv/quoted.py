"""Lines in which each field is quoted and holds no quote, as rocprofv3 writes them.

The places of their quotes say where fields are. A field becomes a text or a number only where
somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple, Optional, Union, overload

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
_LONGEST_SPAN = 1024  # characters; one that is much longer than the others would cost for all
_MIXER = np.uint64(0x9E3779B97F4A7C15)  # odd; any would do, since what it tells is checked
_FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], dtype=np.uint64)


class LineGroups(NamedTuple):
    """Lines with the same text somewhere."""

    texts: Sequence[Hashable]  # of each group
    first: Sequence[int]  # line of each group
    of_line: npt.NDArray[np.intp]  # the group of each line

    def in_order(self) -> list[tuple[Hashable, int]]:
        """Text and first line of each, by lines."""
        return sorted(zip(self.texts, self.first), key=itemgetter(1))


class QuotedLines(Sequence[Sequence[str]]):
    """The fields of some lines, column by column."""

    def __init__(self, text: str, data: bytes, quotes: _Places) -> None:
        """``quotes``: places in ``data`` by line, column, and before or behind."""
        self._text = text if len(text) == len(data) else None  # places in both are the same
        self._data = data
        self._bytes = np.frombuffer(data, dtype=np.uint8)
        # The eight bytes from each place on, also from before the first.
        self._eights: _Words = np.ndarray(
            (_BEFORE + len(data),), "<u8", bytes(_BEFORE) + data + bytes(8), strides=(1,)
        )
        self._quotes = quotes
        self._made: dict[int, list[str]] = {}

    def __len__(self) -> int:
        return int(self._quotes.shape[1])

    @property
    def newlines(self) -> int:
        """As many as lines where no field holds one."""
        return int(np.count_nonzero(self._bytes == _NEWLINE))

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

    def spans(self, first: int, last: int) -> Optional[LineGroups]:
        """Groups of what the file has from one column to another, quotes between them included;
        None where a span is very long or two different ones cannot be distinguished."""
        begin, end = self._places(first)[0], self._places(last)[1]
        lengths = end - begin
        if int(lengths.max()) > _LONGEST_SPAN:
            return None
        words = list(self._words(begin, end, lengths))
        keys = lengths.astype(np.uint64)
        for eight in words:
            keys = (keys ^ eight) * _MIXER
            keys ^= keys >> np.uint64(32)
        lines, groups = _groups_of_equal(keys)
        alike = lines[groups]  # the first line with the same key
        if any((values != values[alike]).any() for values in (lengths, *words)):
            return None
        return LineGroups(self._sliced(begin[lines], end[lines]), lines.tolist(), groups)

    def _words(self, begin: _Places, end: _Places, lengths: _Places) -> Iterator[_Words]:
        """Eight bytes of each span after the other; 0 for what lies behind its end."""
        for place in range(0, int(lengths.max()), 8):
            mask = _FIRST_BYTES[np.clip(lengths - place, 0, 8)]
            yield self._eights[np.minimum(begin + place, end) + _BEFORE] & mask

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
        if longest == 1:
            return _single_digits(self._bytes[first])
        found = np.zeros(len(first), dtype=np.uint64)
        for group in reversed(range((longest + 7) // 8)):
            digits = self._eights[end + (_BEFORE - 8 * (group + 1))] ^ _ZEROS
            if shortest < 8 * (group + 1):  # the character before them is not one of their digits
                before = 8 * (group + 1) - (longest if shortest == longest else lengths)
                others = np.clip(before, 0, 8).astype(np.uint64) * np.uint64(8)
                digits = np.where(others < 64, digits >> others << others, np.uint64(0))
            if ((digits | digits + _SIXES) & _HIGH_HALVES).any():  # above 9
                return None
            found *= 10**8
            found += _eight_digits(digits)
        return found.astype(np.int64)


def _groups_of_equal(keys: _Words) -> tuple[_Places, _Places]:
    """The first line of each group, and the group of each line."""
    groups = np.zeros(len(keys), dtype=np.intp)
    if bool((keys == keys[0]).all()):
        return groups[:1], groups
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    groups[order] = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(keys)))
    return order[begins], groups


def _single_digits(characters: npt.NDArray[np.uint8]) -> Optional[IntColumn]:
    """Most sizes of grids and workgroups beyond the first are one."""
    digits = characters - np.uint8(ord("0"))  # what comes before the digits goes round to the end
    return None if (digits > 9).any() else digits.astype(np.int64)


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
