"""Turning recorded ids into row numbers, and texts into indexes of ``Trace.strings``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.trace.model import UNKNOWN, IndexColumn, IntColumn

# Ids up to this value are found through a table of positions instead of a binary search.
_LARGEST_TABLE = 1 << 22

_Integer = TypeVar("_Integer", np.int32, np.int64)


def distinct(column: npt.NDArray[_Integer]) -> npt.NDArray[_Integer]:
    """In ascending order, as of ``np.unique``, which imports numpy.ma: 30 ms of a start."""
    ordered = np.sort(column)
    first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return np.asarray(ordered[first])


def positions_of(wanted: IntColumn, known: IntColumn) -> IntColumn:
    """The position in ``known`` of every wanted id, ``UNKNOWN`` where it is not there.

    Of an id that stands in ``known`` twice, the first position counts.
    """
    if not len(known) or not len(wanted):
        return np.full(len(wanted), UNKNOWN, dtype=np.int64)
    low, high = int(known.min()), int(known.max())
    if high - low == len(known) - 1 and bool((known[1:] > known[:-1]).all()):
        if low <= int(wanted.min()) and int(wanted.max()) <= high:
            return wanted - low
        return np.where((wanted >= low) & (wanted <= high), wanted - low, UNKNOWN)
    if high - low < _LARGEST_TABLE:
        return _by_table(wanted, known, low, high)
    order = np.argsort(known, kind="stable")
    ordered = known[order]
    slot = np.searchsorted(ordered, wanted).clip(max=len(known) - 1)
    return np.where(ordered[slot] == wanted, order[slot], UNKNOWN)


def _by_table(wanted: IntColumn, known: IntColumn, low: int, high: int) -> IntColumn:
    table = np.full(high - low + 1, UNKNOWN, dtype=np.int64)
    table[known[::-1] - low] = np.arange(len(known) - 1, -1, -1)
    if int(wanted.min()) >= low and int(wanted.max()) <= high:
        return np.asarray(table[wanted - low], dtype=np.int64)
    inside = (wanted >= low) & (wanted <= high)
    result = np.full(len(wanted), UNKNOWN, dtype=np.int64)
    result[inside] = table[wanted[inside] - low]
    return result


class StringTable:
    """Texts without repetition, in the order of their first use."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {}

    def add(self, text: str) -> int:
        return self._index.setdefault(text, len(self._index))

    def add_all(self, texts: Sequence[str]) -> IndexColumn:
        return np.array([self.add(text) for text in texts], dtype=np.int32)

    def as_tuple(self) -> tuple[str, ...]:
        return tuple(self._index)
