"""How much of some stretches of time a host thread spent inside API calls."""

from __future__ import annotations

import numpy as np

from rocm_perf_lab.trace.model import IntColumn, Trace


def time_in_calls(
    trace: Trace, process: int, threads: IntColumn, since: IntColumn, until: IntColumn
) -> IntColumn:
    """For each stretch [since, until) how long its thread was in a call."""
    calls = trace.api_calls
    result = np.zeros(len(threads), dtype=np.int64)
    for thread in np.unique(threads).tolist():
        rows = np.flatnonzero((calls.process == process) & (calls.thread == thread))
        if not len(rows):
            continue
        rows = rows[np.argsort(calls.start[rows], kind="stable")]
        own = threads == thread
        covered = _Covered(calls.start[rows], calls.end[rows])
        result[own] = covered.before(until[own]) - covered.before(since[own])
    return result


class _Covered:
    """The union of intervals that are sorted by start; calls may stand inside others."""

    def __init__(self, start: IntColumn, end: IntColumn) -> None:
        reach = np.maximum.accumulate(end)
        self._start = np.maximum(start, np.concatenate([start[:1], reach[:-1]]))
        self._end = np.maximum(reach, self._start)
        lengths = self._end - self._start
        self._done = np.cumsum(lengths) - lengths

    def before(self, time: IntColumn) -> IntColumn:
        """The covered time before each of these times."""
        slot = np.searchsorted(self._start, time, side="right") - 1
        at = slot.clip(min=0)
        inside = np.clip(time, self._start[at], self._end[at]) - self._start[at]
        return np.where(slot < 0, 0, self._done[at] + inside)
