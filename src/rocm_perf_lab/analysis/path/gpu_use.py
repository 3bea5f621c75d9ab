"""How each GPU of a recording spends the time: computing, exchanging data, copying, or idle.

Counted by unions of intervals, as TraceLens counts: communication is exposed while nothing
computes, a copy while nothing computes or communicates. Computation, exposed communication,
exposed copies and idle time together are the span.
"""

from __future__ import annotations

from typing import Optional

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from rocm_perf_lab.analysis.kernels.collectives import is_collective
from rocm_perf_lab.analysis.path.timed import counting_processes
from rocm_perf_lab.analysis.path.timeline import busy_ns
from rocm_perf_lab.trace.lookup import distinct
from rocm_perf_lab.trace.model import UNKNOWN, IndexColumn, IntColumn, Trace

_COPY_KERNEL = "__amd_rocclr_copyBuffer"  # the runtime's own, which copies by a kernel
_FILL = "memset"  # PyTorch's category of fills is that of copies

Rows = npt.NDArray[np.bool_]


class GpuUse(Struct, frozen=True):
    """Of one GPU of one process; times in ns."""

    process: int  # index into Trace.processes
    agent: int  # index into Trace.agents, UNKNOWN where nobody recorded it
    span_ns: int  # from the first start to the last end, copies included
    busy_ns: int
    computation_ns: int
    communication_ns: int
    exposed_communication_ns: int
    copies_ns: int
    exposed_copies_ns: int
    kernels: int
    largest_collective: Optional[str]  # the communication kernel with the most time

    @property
    def idle_ns(self) -> int:
        return self.span_ns - self.busy_ns

    @property
    def exposed_share(self) -> float:
        """Of communication."""
        return self.exposed_communication_ns / self.span_ns if self.span_ns else 0.0


class _Work(Struct, frozen=True):
    """Dispatches, then copies: where they ran, when, and what they are."""

    process: IndexColumn
    agent: IndexColumn
    start: IntColumn
    end: IntColumn
    communicates: Rows
    copies: Rows

    def time(self, rows: Rows) -> int:
        return busy_ns(self.start[rows], self.end[rows])


def gpu_uses(trace: Trace) -> tuple[GpuUse, ...]:
    """In the order of processes and agents; processes that collected counters are left out."""
    work = _work_of(trace)
    width = len(trace.agents) + 1
    place = work.process.astype(np.int64) * width + work.agent + 1
    found = []
    for code in distinct(place).tolist():
        process, agent = divmod(code, width)
        if process not in counting_processes(trace):
            found.append(_use(trace, work, place == code, process, agent - 1))
    return tuple(found)


def _use(trace: Trace, work: _Work, own: Rows, process: int, agent: int) -> GpuUse:
    communicates, copies = own & work.communicates, own & work.copies
    computes = own & ~communicates & ~copies
    computation, whole = work.time(computes), work.time(own)
    of_kernels = work.time(computes | communicates)
    return GpuUse(
        process=process,
        agent=agent,
        span_ns=int(work.end[own].max() - work.start[own].min()),
        busy_ns=whole,
        computation_ns=computation,
        communication_ns=work.time(communicates),
        exposed_communication_ns=of_kernels - computation,
        copies_ns=work.time(copies),
        exposed_copies_ns=whole - of_kernels,
        kernels=int(np.count_nonzero(own[: len(trace.dispatches)])),
        largest_collective=_largest(trace, communicates[: len(trace.dispatches)]),
    )


def _largest(trace: Trace, rows: Rows) -> Optional[str]:
    if not rows.any():
        return None
    dispatches = trace.dispatches
    time = np.bincount(dispatches.kernel[rows], weights=dispatches.duration[rows])
    return trace.kernels[int(time.argmax())].name


def _work_of(trace: Trace) -> _Work:
    rows, copies = trace.dispatches, trace.copies
    names = [kernel.name for kernel in trace.kernels]
    collective = np.array([*map(is_collective, names), False], dtype=bool)
    copier = np.array([*(name.startswith(_COPY_KERNEL) for name in names), False], dtype=bool)
    fills = np.array([*(_FILL in text.lower() for text in trace.strings), False], dtype=bool)
    nothing = np.zeros(len(copies), dtype=bool)
    start = np.concatenate([rows.start, copies.start])
    return _Work(
        process=np.concatenate([rows.process, copies.process]),
        agent=np.concatenate([rows.agent, _devices_of_copies(trace)]).astype(np.int32),
        start=start,
        end=np.maximum(np.concatenate([rows.end, copies.end]), start),
        communicates=np.concatenate([collective[rows.kernel], nothing]),
        copies=np.concatenate([copier[rows.kernel], ~fills[copies.direction]]),
    )


def _devices_of_copies(trace: Trace) -> IndexColumn:
    """A copy that names no GPU belongs to the only one that its process uses, if it is one."""
    rows, copies = trace.dispatches, trace.copies
    on_gpu = np.array([agent.kind == "GPU" for agent in trace.agents] + [False])
    device = np.where(on_gpu[copies.target_agent], copies.target_agent, copies.source_agent)
    device = np.where(on_gpu[device], device, UNKNOWN).astype(np.int32)
    for process in np.unique(copies.process[device == UNKNOWN]).tolist():
        used = np.unique(rows.agent[rows.process == process])
        if len(used) == 1:
            device[(device == UNKNOWN) & (copies.process == process)] = used[0]
    return device
