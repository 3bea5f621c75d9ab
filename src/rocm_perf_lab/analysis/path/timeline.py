"""Time on the GPU as a whole: how long it was busy, and over what span."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from rocm_perf_lab.analysis.kernels.families import family_of
from rocm_perf_lab.trace.lookup import distinct, positions_of
from rocm_perf_lab.trace.model import UNKNOWN, Copies, Dispatches, IndexColumn, IntColumn, Trace

_MOSTLY = 0.5  # of the launches
_MANY_KERNELS = 10_000  # by names alone nobody reads: each is one of its own
_OVERLAP = 0.02  # of the time of a kernel's launches: clocks of queues differ a little


class GpuTime(Struct, frozen=True):
    kernel_sum_ns: int  # every dispatch counted in full, overlap counted twice
    busy_ns: int  # union of the intervals: at least one kernel was running
    span_ns: int  # first start to last end


def busy_ns(start: IntColumn, end: IntColumn) -> int:
    """The length of the union of [start, end) intervals, in any order, overlapping or empty."""
    if len(start) == 0:
        return 0
    # Before the n-th start nothing runs if n have ended by then: which ones does not matter.
    start, end = np.sort(start), np.sort(end)
    gaps = start[1:] - end[:-1]
    return int(end[-1] - start[0] - gaps[gaps > 0].sum())


def queues_used(dispatches: Dispatches) -> int:
    """To how many queues kernels were launched, or streams where queues were not recorded; 0 where
    neither was of all of them."""
    for column in (dispatches.queue, dispatches.stream):
        if len(column) and np.all(column >= 0):
            return len(np.unique(column))
    return 0


def busiest_queue(dispatches: Dispatches) -> float:
    """Of the time of all launches that of the queue with the most; all of it where no queue (and no
    stream) is known."""
    by_queue = _time_of_queues(dispatches)
    return 1.0 if by_queue is None else float(by_queue[1].max() / by_queue[1].sum())


def kernels_of_busiest(trace: Trace) -> frozenset[str]:
    """That are launched to the queue with the most time and to no other; none where no queue is
    known."""
    rows, by_queue = trace.dispatches, _time_of_queues(trace.dispatches)
    if by_queue is None:
        return frozenset()
    here = by_queue[0] == int(by_queue[1].argmax())
    known = rows.kernel >= 0
    names = [kernel.name for kernel in trace.kernels]
    there = {names[index] for index in distinct(rows.kernel[known & ~here])}
    return frozenset(names[index] for index in distinct(rows.kernel[known & here])) - there


def _time_of_queues(
    dispatches: Dispatches,
) -> Optional[tuple[IndexColumn, npt.NDArray[np.float64]]]:
    """Which queue, or stream, each launch has, and the time of each of them."""
    for column in (dispatches.queue, dispatches.stream):
        if len(column) and np.all(column >= 0) and dispatches.duration.sum():
            return column, np.bincount(column, weights=dispatches.duration).astype(np.float64)
    return None


def kernels_in_series(traces: Sequence[Trace]) -> dict[str, int]:
    """Kernels with several launches in a run, none of which runs beside another, and how many
    queues they were launched to (or streams, where those are more): of several, these wait for each
    other. Kernels of one template are one. Where something else comes between them in one queue,
    another kernel or what the host reads, they are steps that need it, and are left out."""
    found: dict[str, int] = {}
    for trace in traces:
        family = _families(trace)
        rows, count = _by_family(trace.dispatches, family), max(family, default=-1) + 1
        places = np.maximum(_places(rows, rows.queue, count), _places(rows, rows.stream, count))
        series = _never_beside(rows, count)
        series &= (places > 1) | ~_steps(rows, _ends_of_reads(trace), count)
        for index, number in enumerate(family):
            if series[number]:
                name = trace.kernels[index].name
                found[name] = max(found.get(name, 1), int(places[number]))
    return found


def _families(trace: Trace) -> list[int]:
    """A number for each kernel, the same for those of one template."""
    if len(trace.kernels) > _MANY_KERNELS:
        return list(range(len(trace.kernels)))
    numbers: dict[str, int] = {}
    names = (family_of(kernel.name) for kernel in trace.kernels)
    return [numbers.setdefault(name, len(numbers)) for name in names]


def _steps(rows: Dispatches, reads: IntColumn, kernels: int) -> npt.NDArray[np.bool_]:
    """Of which kernels most launches follow something else than the launch before."""
    known = np.flatnonzero(rows.kernel >= 0)
    begins = np.concatenate([rows.start[known], reads])
    which = np.concatenate([rows.kernel[known], np.full(len(reads), -1, dtype=np.int32)])
    order = which[np.argsort(begins, kind="stable")]
    follows = np.bincount(order[1:][order[1:] == order[:-1]] + 1, minlength=kernels + 1)[1:]
    launches = np.bincount(order[order >= 0], minlength=kernels)
    return follows < _MOSTLY * (launches - 1)


def _by_family(rows: Dispatches, family: Sequence[int]) -> Dispatches:
    number = np.array([*family, -1], dtype=np.int32)  # the last is for kernels that nobody knows
    return replace(rows, kernel=number[rows.kernel])


def _places(rows: Dispatches, column: IndexColumn, kernels: int) -> IntColumn:
    """Of the launches of each kernel."""
    if not len(column) or column.max() < 0:
        return np.zeros(kernels, dtype=np.int64)
    known = np.flatnonzero((rows.kernel >= 0) & (column >= 0))
    width = int(column.max()) + 1
    pairs = np.unique(rows.kernel[known].astype(np.int64) * width + column[known])
    return np.bincount(pairs // width, minlength=kernels)


def _never_beside(rows: Dispatches, kernels: int) -> npt.NDArray[np.bool_]:
    """Of which kernels there are several launches, and no two at once."""
    known = np.flatnonzero(rows.kernel >= 0)
    order = known[np.lexsort((rows.start[known], rows.kernel[known]))]
    kernel, start, end = rows.kernel[order], rows.start[order], rows.end[order]
    same = kernel[1:] == kernel[:-1]
    beside = np.where(same, np.maximum(0, end[:-1] - start[1:]), 0)
    shared = np.bincount(kernel[1:], weights=beside, minlength=kernels)
    whole = np.bincount(kernel, weights=end - start, minlength=kernels)
    launches = np.bincount(kernel, minlength=kernels)
    return (launches > 1) & (shared <= _OVERLAP * whole)


def _ends_of_reads(trace: Trace) -> IntColumn:
    """Of copies to the host that it waits for: what was launched before they ended needs nothing
    of them. Without recorded calls nobody knows, and all count."""
    ends, called = _ends_of_copies(trace, "target_agent"), launch_calls(trace)
    if called is None or not len(ends):
        return ends
    order = np.argsort(trace.dispatches.start, kind="stable")
    behind = np.searchsorted(trace.dispatches.start[order], ends)
    follows = np.flatnonzero(behind < len(order))
    ahead = called[order[behind[follows]]] < ends[follows] - trace.clock_skew_ns
    return np.delete(ends, follows[ahead])


def launch_calls(trace: Trace) -> Optional[IntColumn]:
    """When the call began that launched each dispatch; None where that is not known of all."""
    calls, rows = trace.api_calls, trace.dispatches
    if not len(calls) or not len(rows.stack_id):
        return None
    order = np.argsort(calls.start, kind="stable")
    places = positions_of(rows.stack_id, calls.stack_id[order])  # of several the first counts
    return None if (places == UNKNOWN).any() else calls.start[order[places]]


def copied_ns(copies: Copies) -> int:
    return int((copies.end - copies.start).sum())


def once_ns(trace: Trace) -> int:
    """Of copies whose data crosses once: no other of the same size and direction comes between
    other launches. They can be hidden behind kernels, or made faster, and cannot be left out."""
    copies = trace.copies
    if not len(copies):
        return 0
    turn = np.searchsorted(np.sort(trace.dispatches.start), copies.start)
    alike = np.stack([copies.process.astype(np.int64), copies.direction, copies.bytes])
    _, group = np.unique(alike, axis=1, return_inverse=True)
    group = group.reshape(-1)
    first = np.full(int(group.max()) + 1, np.iinfo(np.int64).max)
    last = np.zeros(len(first), dtype=np.int64)
    np.minimum.at(first, group, turn)
    np.maximum.at(last, group, turn)
    return int((copies.end - copies.start)[(first == last)[group]].sum())


def _ends_of_copies(trace: Trace, host_is: str) -> IntColumn:
    return trace.copies.end[is_host(trace, getattr(trace.copies, host_is))]


def is_host(trace: Trace, agents: IndexColumn) -> npt.NDArray[np.bool_]:
    hosts = [index for index, agent in enumerate(trace.agents) if agent.kind == "CPU"]
    return np.isin(agents, hosts)


def read_backs(trace: Trace) -> int:
    """How often something is copied to the host, and a kernel launched only after that."""
    return _between_launches(trace, _ends_of_reads(trace))


def checks(trace: Trace) -> float:
    """Of the time of all launches that of kernels whose results the host reads before it launches
    more; 0 where nothing else is launched between such reads, which could go on without them."""
    rows, reads = trace.dispatches, np.sort(_ends_of_reads(trace))
    if len(rows):
        reads = reads[reads < rows.start.max()]
    if not len(reads):
        return 0.0
    order = np.argsort(rows.end, kind="stable")
    before = np.searchsorted(rows.end[order], reads, side="right") - 1
    read = np.isin(rows.kernel, rows.kernel[order[before[before >= 0]]])
    others = ~read & (rows.start >= reads[0])
    return float(rows.duration[read].sum() / rows.duration.sum()) if others.any() else 0.0


def uploads(trace: Trace) -> int:
    """How often something is copied from the host between two launches."""
    return _between_launches(trace, _ends_of_copies(trace, "source_agent"))


def _between_launches(trace: Trace, ends: IntColumn) -> int:
    begins = np.sort(trace.dispatches.start)
    if not len(begins):
        return 0
    places = np.unique(np.searchsorted(begins, ends))
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
