"""Launches of HIP graphs, and the kernels that each of them ran."""

from __future__ import annotations

from typing import Optional

import numpy as np
from msgspec import Struct

from rocm_perf_lab.analysis.graph.calls import GRAPH_LAUNCH
from rocm_perf_lab.analysis.path.timeline import busy_ns
from rocm_perf_lab.trace.lookup import positions_of
from rocm_perf_lab.trace.model import UNKNOWN, Trace


class GraphLaunches(Struct, frozen=True):
    launches: int
    kernels: int  # of all launches together
    busy_ns: int  # at least one of these kernels ran
    calls_ns: int  # in the launching calls
    median_gap_ns: Optional[int]  # from the end of a graph to the start of the next


def graph_launches(trace: Trace) -> Optional[GraphLaunches]:
    """None where no graph was launched, or no calls were recorded."""
    calls, rows = trace.api_calls, trace.dispatches
    named = np.array([text == GRAPH_LAUNCH for text in trace.strings] or [False], dtype=bool)
    launching = np.flatnonzero(named[calls.name])
    if not len(launching):
        return None
    width = int(calls.stack_id.max(initial=0)) + 1
    place = np.where(rows.stack_id > 0, rows.process * width + rows.stack_id, UNKNOWN)
    of_call = positions_of(place, calls.process[launching] * width + calls.stack_id[launching])
    inside = np.flatnonzero((of_call != UNKNOWN) & (place != UNKNOWN))
    took = int((calls.end[launching] - calls.start[launching]).sum())
    if not len(inside):
        return GraphLaunches(len(launching), 0, 0, took, None)
    start = np.full(len(launching), np.iinfo(np.int64).max)
    end = np.zeros(len(launching), dtype=np.int64)
    np.minimum.at(start, of_call[inside], rows.start[inside])
    np.maximum.at(end, of_call[inside], rows.end[inside])
    ran = np.flatnonzero(end > 0)
    ran = ran[np.argsort(start[ran], kind="stable")]
    gaps = np.maximum(0, start[ran][1:] - end[ran][:-1])
    return GraphLaunches(
        launches=len(launching),
        kernels=len(inside),
        busy_ns=busy_ns(rows.start[inside], rows.end[inside]),
        calls_ns=took,
        median_gap_ns=int(np.median(gaps)) if len(gaps) else None,
    )
