"""What the host was doing at a time: the innermost operator or Python function of a thread."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence

import numpy as np

from rocm_perf_lab.trace.model import UNKNOWN, IntColumn

# "transformers/models/bert/modeling_bert.py(289): forward"; built-in functions have no such place.
_PLACE = re.compile(r"\S.*\.\w+\(\d+\): \S")
_LIBRARY = re.compile(r"(?:^|/)torch/")


class Frames:
    """Intervals of the host by thread: 32 bytes each, for there can be millions."""

    def __init__(self) -> None:
        self._start, self._end = array("q"), array("q")
        self._thread, self._label = array("q"), array("q")

    def __len__(self) -> int:
        return len(self._start)

    def add(self, start: int, end: int, thread: int, label: int) -> None:
        self._start.append(start)
        self._end.append(end)
        self._thread.append(thread)
        self._label.append(label)

    def innermost(self, threads: IntColumn, times: IntColumn) -> IntColumn:
        """The label of the innermost interval of each thread at each time, ``UNKNOWN`` if none."""
        found = np.full(len(times), UNKNOWN, dtype=np.int64)
        start, end = _column(self._start), _column(self._end)
        thread, label = _column(self._thread), _column(self._label)
        for number in np.unique(threads).tolist():
            asked = np.flatnonzero(threads == number)
            asked = asked[np.argsort(times[asked], kind="stable")]
            own = np.flatnonzero(thread == number)
            own = own[np.lexsort((-end[own], start[own]))]
            place = _last_open(start[own].tolist(), end[own].tolist(), times[asked].tolist())
            inside = place != UNKNOWN
            found[asked[inside]] = label[own[place[inside]]]
        return found


def is_place(name: str) -> bool:
    """Whether a Python function is named with its file and line."""
    return _PLACE.match(name) is not None


def is_library(name: str) -> bool:
    """Functions of PyTorch itself: the line of interest is the one that called them."""
    return _LIBRARY.search(name) is not None


def _column(values: array[int]) -> IntColumn:
    return np.frombuffer(values, dtype=np.int64) if len(values) else np.zeros(0, dtype=np.int64)


def _last_open(start: Sequence[int], end: Sequence[int], times: Sequence[int]) -> IntColumn:
    """For ascending times, the interval that began last among those that have not ended."""
    found = np.full(len(times), UNKNOWN, dtype=np.int64)
    open_now: list[int] = []
    following = 0
    for position, time in enumerate(times):
        while following < len(start) and start[following] <= time:
            while open_now and end[open_now[-1]] <= start[following]:
                open_now.pop()
            open_now.append(following)
            following += 1
        while open_now and end[open_now[-1]] < time:
            open_now.pop()
        if open_now:
            found[position] = open_now[-1]
    return found
