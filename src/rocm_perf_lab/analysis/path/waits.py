"""Time that passes on the GPU because the host waits for it before it launches more."""

from __future__ import annotations

from typing import Optional

import numpy as np

from rocm_perf_lab.analysis.graph.calls import BLOCKING_COPIES, DEVICE_WAITS, NAMED_WAITS
from rocm_perf_lab.analysis.path.timeline import launch_calls
from rocm_perf_lab.trace.model import IntColumn, Trace

_WAITS = DEVICE_WAITS | NAMED_WAITS | BLOCKING_COPIES


def waited_ns(trace: Trace) -> Optional[int]:
    """From the end of a kernel that the host waited for to the next one, without the copies in
    between; None where calls were not recorded. Kernels that follow each other as fast as the host
    launches them are waited for by nobody, however long the GPU is idle between them."""
    called, rows = launch_calls(trace), trace.dispatches
    if called is None or not len(rows):
        return None
    order = np.argsort(rows.start, kind="stable")
    ended = np.maximum.accumulate(rows.end[order])[:-1]
    begins, called = rows.start[order][1:], called[order][1:]
    idle = np.flatnonzero(begins > ended)
    ended, begins, called = ended[idle], begins[idle], called[idle]
    waited = _waited_for(trace, ended, called)
    ended, begins = ended[waited], begins[waited]
    return int((begins - ended).sum()) - _copied(trace, ended, begins)


def _waited_for(trace: Trace, ended: IntColumn, called: IntColumn) -> IntColumn:
    """Of work that ended and the call of what came next: between which the host came back from a
    wait that had begun before that end."""
    calls, skew = trace.api_calls, trace.clock_skew_ns
    waits = np.array([text in _WAITS for text in trace.strings] or [False], dtype=bool)
    rows = np.flatnonzero(waits[calls.name])
    rows = rows[np.argsort(calls.end[rows], kind="stable")]
    if not len(rows):
        return rows
    place = np.searchsorted(calls.end[rows], ended - skew)
    known = np.flatnonzero(place < len(rows))
    wait = rows[place[known]]
    begun, back = calls.start[wait] <= ended[known] + skew, calls.end[wait] <= called[known] + skew
    return known[begun & back]


def _copied(trace: Trace, ended: IntColumn, begins: IntColumn) -> int:
    """Of these gaps, which follow each other in time, what copies take."""
    if not len(ended):
        return 0
    order = np.argsort(trace.copies.start, kind="stable")
    start, end = trace.copies.start[order], trace.copies.end[order]
    start[1:] = np.maximum(start[1:], np.maximum.accumulate(end)[:-1])  # each moment once
    gap = np.searchsorted(ended, end, side="right") - 1
    inside = gap >= 0
    first, last = np.maximum(start[inside], ended[gap[inside]]), end[inside]
    return int(np.maximum(0, np.minimum(last, begins[gap[inside]]) - first).sum())
