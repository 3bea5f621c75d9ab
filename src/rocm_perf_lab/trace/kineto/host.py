"""Operators and Python functions of a PyTorch trace, and which of them launched a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.kineto.frames import Frames, is_library, is_place
from rocm_perf_lab.trace.lookup import StringTable
from rocm_perf_lab.trace.model import UNKNOWN, IntColumn


@dataclass(frozen=True)
class Launch:
    """The call behind a kernel, or behind all kernels of a graph."""

    start: int
    thread: int
    external_id: int
    grid_of_items: bool


class Host:
    def __init__(self, builder: TraceBuilder) -> None:
        self._builder = builder
        self._row_of_id: dict[int, int] = {}
        self._operators = Frames()
        self._functions, self._library = Frames(), Frames()
        self._places = StringTable()

    @property
    def has_operators(self) -> bool:
        return len(self._operators) > 0

    def add_operator(self, start: int, end: int, thread: int, name: str, external_id: int) -> None:
        row = self._builder.add_operator(start=start, end=end, name=name, thread=thread)
        if row != UNKNOWN:
            self._operators.add(start, end, thread, row)
            if external_id != UNKNOWN:
                self._row_of_id[external_id] = row

    def add_function(self, start: int, end: int, thread: int, name: str) -> None:
        """Only those with a file and a line; most are built-in functions without one."""
        if is_place(name) and 0 <= start <= end:
            frames = self._library if is_library(name) else self._functions
            frames.add(start, end, thread, self._places.add(name))

    def link(self, dispatches: Sequence[tuple[int, Launch]]) -> None:
        """Rows of dispatches with their launches; what was going on then is their origin."""
        thread = np.array([launch.thread for _, launch in dispatches], dtype=np.int64)
        time = np.array([launch.start for _, launch in dispatches], dtype=np.int64)
        operator = self._operators.innermost(thread, time).tolist()
        place = self._places_at(thread, time).tolist()
        names = self._places.as_tuple()
        for position, (row, launch) in enumerate(dispatches):
            own = self._row_of_id.get(launch.external_id, operator[position])
            where = place[position]
            if own != UNKNOWN or where != UNKNOWN:
                self._builder.add_origin(row, own, None if where == UNKNOWN else names[where])

    def _places_at(self, thread: IntColumn, time: IntColumn) -> IntColumn:
        """The line that called into PyTorch; a line of PyTorch where there is no other."""
        called = self._functions.innermost(thread, time)
        inside = self._library.innermost(thread, time)
        return np.where(called == UNKNOWN, inside, called)
