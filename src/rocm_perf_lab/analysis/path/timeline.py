"""Time on the GPU as a whole: how long it was busy, and over what span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rocm_perf_lab.trace.model import Dispatches, IntColumn, Trace


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


def queues_of_kernels(traces: Sequence[Trace]) -> dict[str, int]:
    """The same for the launches of each kernel: the most of one run."""
    found: dict[str, int] = {}
    for trace in traces:
        rows = trace.dispatches
        for column in (rows.queue, rows.stream):
            if len(column) and np.all(column >= 0):
                width = int(column.max()) + 1
                pairs = np.unique(rows.kernel.astype(np.int64) * width + column)
                indexes, counts = np.unique(pairs // width, return_counts=True)
                for index, count in zip(indexes.tolist(), counts.tolist()):
                    name = trace.kernels[index].name
                    found[name] = max(found.get(name, 0), count)
                break
    return found


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
