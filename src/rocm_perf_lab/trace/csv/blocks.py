"""Dispatches of a kernel trace, many lines at once.

A line by itself is many calls, and there may be millions of lines. Lines without anything unusual
become columns: every value that is not a plain number, a time that cannot be or an id that stands
there twice sends the whole block to the careful way, line by line.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np

from rocm_perf_lab.trace.csv.quoted import LineGroups, QuotedLines
from rocm_perf_lab.trace.model import UNKNOWN, IntColumn

_SIZES = ("X", "Y", "Z")
_LARGEST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class DispatchBlock:
    """Columns of some dispatches by recorded ids; kernels and agents as texts."""

    kernels: LineGroups  # lines with the same id and name
    agents: LineGroups  # lines with the same text, which may be empty
    numbers: Mapping[str, IntColumn]
    grid: IntColumn
    block: IntColumn


_NUMBERS = {
    "start": ("Start_Timestamp",),
    "end": ("End_Timestamp",),
    "queue": ("Queue_Id",),
    "stream": ("Stream_Id",),
    "thread": ("Thread_Id",),
    "dispatch_id": ("Dispatch_Id",),
    "stack_id": ("Correlation_Id",),
    "lds": ("LDS_Block_Size", "Group_Segment_Size"),
    "scratch": ("Scratch_Size", "Private_Segment_Size"),
}


def dispatch_block(
    columns: Mapping[str, int], texts: Sequence[Sequence[str]]
) -> Optional[DispatchBlock]:
    """Of the fields column by column; None when a line needs to be looked at by itself."""
    table = _Texts(columns, texts)
    try:
        numbers = {name: table.integers(*sources) for name, sources in _NUMBERS.items()}
        grid, block = (
            np.stack([table.integers(f"{size}_{axis}") for axis in _SIZES], axis=1)
            for size in ("Grid_Size", "Workgroup_Size")
        )
    except (ValueError, OverflowError):
        return None
    start, end = numbers["start"], numbers["end"]
    ids = numbers["dispatch_id"]
    if (start < 0).any() or (end < start).any() or not _all_different(ids):
        return None
    kernels = table.groups("Kernel_Id", "Kernel_Name")
    return DispatchBlock(kernels, table.groups("Agent_Id", "Agent_Id"), numbers, grid, block)


def _all_different(ids: IntColumn) -> bool:
    ascend = bool((ids[1:] > ids[:-1]).all())  # as they mostly do
    return ascend or len(set(ids.tolist())) == len(ids)


class _Texts:
    """The columns of a block, each as the file has it."""

    def __init__(self, columns: Mapping[str, int], texts: Sequence[Sequence[str]]) -> None:
        self._columns = columns
        self._values = texts
        self._count = len(texts[0])

    def groups(self, first: str, last: str) -> LineGroups:
        """Lines that say the same in these columns, in sequence or the same one."""
        one, other = self._columns.get(first, -1), self._columns.get(last, -1)
        if isinstance(self._values, QuotedLines) and 0 <= one <= other <= one + 1:
            found = self._values.spans(one, other)
            if found is not None:
                return found
        return _grouped(list(zip(self._texts(one), self._texts(other))))

    def _texts(self, position: int) -> Sequence[str]:
        return self._values[position] if position >= 0 else [""] * self._count

    def integers(self, *names: str) -> IntColumn:
        """The first of these columns that is there and not all empty; ``UNKNOWN`` without one."""
        for name in names:
            position = self._columns.get(name)
            if position is None:
                continue
            if isinstance(self._values, QuotedLines):
                known = self._values.integers(position)
                if known is not None:
                    return known
            values = self._values[position]
            # Sizes and threads seldom differ.
            if values[0] == values[-1] and values.count(values[0]) == len(values):
                if values[0]:
                    return np.full(self._count, int(values[0]), dtype=np.int64)
            else:
                return _parsed(values)
        return np.full(self._count, UNKNOWN, dtype=np.int64)


def _grouped(values: Sequence[Hashable]) -> LineGroups:
    lines = dict(zip(reversed(values), range(len(values) - 1, -1, -1)))
    number = {value: index for index, value in enumerate(lines)}
    of_line = np.fromiter(map(number.__getitem__, values), dtype=np.intp, count=len(values))
    return LineGroups(list(lines), list(lines.values()), of_line)


def _parsed(values: Sequence[str]) -> IntColumn:
    """What ``int`` makes of each. NumPy is four times as fast, but takes a blank for 0 and a number
    that is too large for the largest: it is asked only where there is nothing but digits."""
    digits = "".join(values)
    if digits.isascii() and digits.isdigit() and all(values):
        found = np.fromstring(",".join(values), dtype=np.int64, sep=",")
        if found.max() < _LARGEST:
            return found
    return np.fromiter(map(int, values), dtype=np.int64, count=len(values))
