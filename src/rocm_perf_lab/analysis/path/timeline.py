"""Time on the GPU as a whole: how long it was busy, and over what span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rocm_perf_lab.trace.model import Dispatches, IndexColumn, IntColumn, Trace

_OVERLAP = 0.02  # of the time of a kernel's launches: clocks of queues differ a little


@dataclass(frozen=True)
class GpuTime:
    kernel_sum_ns: int  # every dispatch counted in full, overlap counted twice
    busy_ns: int  # union of the intervals: at least one kernel was running
    span_ns: int  # first start to last end


def busy_ns(start: IntColumn, end: IntColumn) -> int:
    """The length of the union of [start, end) intervals, in any order, overlapping or empty."""
    if len(start) == 0:
        return 0
    if np.any(start[1:] < start[:-1]):
        order = np.argsort(start, kind="stable")
        start, end = start[order], end[order]
    covered_until = np.maximum.accumulate(end)
    gaps = start[1:] - covered_until[:-1]
    return int(covered_until[-1] - start[0] - gaps[gaps > 0].sum())


def queues_used(dispatches: Dispatches) -> int:
    """To how many queues kernels were launched, or streams where queues were not recorded; 0 where
    neither was of all of them."""
    for column in (dispatches.queue, dispatches.stream):
        if len(column) and np.all(column >= 0):
            return len(np.unique(column))
    return 0


def kernels_in_series(traces: Sequence[Trace]) -> dict[str, int]:
    """Kernels with several launches in a run, none of which runs beside another, and how many
    queues they were launched to (or streams, where those are more): of several, these wait for each
    other."""
    found: dict[str, int] = {}
    for trace in traces:
        rows, count = trace.dispatches, len(trace.kernels)
        places = np.maximum(_places(rows, rows.queue, count), _places(rows, rows.stream, count))
        for index in _never_beside(rows, count):
            name = trace.kernels[int(index)].name
            found[name] = max(found.get(name, 1), int(places[index]))
    return found


def _places(rows: Dispatches, column: IndexColumn, kernels: int) -> IntColumn:
    """Of the launches of each kernel."""
    if not len(column) or column.max() < 0:
        return np.zeros(kernels, dtype=np.int64)
    known = np.flatnonzero((rows.kernel >= 0) & (column >= 0))
    width = int(column.max()) + 1
    pairs = np.unique(rows.kernel[known].astype(np.int64) * width + column[known])
    return np.bincount(pairs // width, minlength=kernels)


def _never_beside(rows: Dispatches, kernels: int) -> IndexColumn:
    known = np.flatnonzero(rows.kernel >= 0)
    order = known[np.lexsort((rows.start[known], rows.kernel[known]))]
    kernel, start, end = rows.kernel[order], rows.start[order], rows.end[order]
    same = kernel[1:] == kernel[:-1]
    beside = np.where(same, np.maximum(0, end[:-1] - start[1:]), 0)
    shared = np.bincount(kernel[1:], weights=beside, minlength=kernels)
    whole = np.bincount(kernel, weights=end - start, minlength=kernels)
    launches = np.bincount(kernel, minlength=kernels)
    return np.flatnonzero((launches > 1) & (shared <= _OVERLAP * whole)).astype(np.int32)


def read_backs(trace: Trace) -> int:
    """How often something is copied to the host, and a kernel launched only after that."""
    copies, begins = trace.copies, np.sort(trace.dispatches.start)
    if not len(copies) or not len(begins):
        return 0
    hosts = [index for index, agent in enumerate(trace.agents) if agent.kind == "CPU"]
    back = copies.end[np.isin(copies.target_agent, hosts)]
    places = np.unique(np.searchsorted(begins, back))
    return int(np.count_nonzero((places > 0) & (places < len(begins))))


def kernel_sum_ns(dispatches: Dispatches) -> int:
    return int(dispatches.duration.sum())


def gpu_time(dispatches: Dispatches) -> GpuTime:
    if len(dispatches) == 0:
        return GpuTime(0, 0, 0)
    return GpuTime(
        kernel_sum_ns=kernel_sum_ns(dispatches),
        busy_ns=busy_ns(dispatches.start, dispatches.end),
        span_ns=int(dispatches.end.max() - dispatches.start.min()),
    )
