"""The chain of work and waiting that decides when the last work of a process ends.

From the work that ended last, back over what each node waited for. Along this path every
nanosecond of the span is either work (a kernel, a copy) or idle time with a name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np
from msgspec import Struct

from rocm_perf_lab.analysis.graph.build import build_dag
from rocm_perf_lab.analysis.graph.dag import (
    LONG_AGO,
    NONE,
    Cause,
    Dag,
    FloatColumn,
    NodeKind,
    SmallColumn,
)
from rocm_perf_lab.analysis.path.gaps import Gaps, IdleTime, gaps_of
from rocm_perf_lab.analysis.path.slack import UNBOUNDED, slack_of
from rocm_perf_lab.analysis.path.timed import counting_processes
from rocm_perf_lab.trace.model import IntColumn, Trace

DOMINANT_FRACTION = 0.7  # below this no single kernel is worth working on alone
PLAN_LENGTH = 3


class KernelOnPath(Struct, frozen=True):  # there can be 100,000
    """One kernel name: its part of the path, and how urgent its dispatches are."""

    name: str
    is_runtime_blit: bool
    path_ns: int
    fraction: float  # of the span
    dispatches: int
    dispatches_on_path: int
    least_slack_ns: int

    @property
    def ceiling(self) -> Optional[float]:
        return ceiling_of(self.fraction)


@dataclass(frozen=True)
class CriticalPath:
    """``critical_path_ns`` (work) and ``idle`` together are the span, first begin to last end."""

    dag: Dag
    nodes: IntColumn  # of the path, the first first
    cause: SmallColumn  # why each of them could not begin earlier
    slack: IntColumn  # per node of the graph
    span_ns: int
    critical_path_ns: int
    copy_ns: int
    gaps: Gaps
    kernels: tuple[KernelOnPath, ...]  # largest part of the path first
    confidence: float  # of the least certain dependency on the path

    @property
    def idle(self) -> IdleTime:
        return self.gaps.idle

    @property
    def dominant(self) -> Optional[KernelOnPath]:
        """The application's kernel with the largest part; none when no kernel is on the path."""
        first = next((kernel for kernel in self.kernels if kernel.path_ns > 0), None)
        own = (k for k in self.kernels if k.path_ns > 0 and not k.is_runtime_blit)
        return next(own, first)

    @property
    def dominant_symbol(self) -> Optional[str]:
        return self.dominant.name if self.dominant else None

    @property
    def fraction(self) -> float:
        return self.dominant.fraction if self.dominant else 0.0

    @property
    def ceiling(self) -> Optional[float]:
        return ceiling_of(self.fraction)

    def plan(self, length: int = PLAN_LENGTH) -> tuple[KernelOnPath, ...]:
        """Which kernels to work on: one if it dominates, otherwise the largest few."""
        on_path = [k for k in self.kernels if k.path_ns > 0 and not k.is_runtime_blit]
        return tuple(on_path[: 1 if self.fraction >= DOMINANT_FRACTION else length])


def ceiling_of(fraction: float) -> Optional[float]:
    """The speed-up if this part of the time vanished; None when nothing else is left."""
    return 1.0 / (1.0 - fraction) if fraction < 1.0 else None


def critical_paths(trace: Trace) -> tuple[CriticalPath, ...]:
    """One for each process that ran work on a GPU, the longest span first.

    Processes that collected counters are left out: their kernels ran one after the other.
    """
    timed = [p for p in range(len(trace.processes)) if p not in counting_processes(trace)]
    dags = [build_dag(trace, process) for process in timed]
    paths = [critical_path(dag) for dag in dags if dag is not None]
    return tuple(sorted(paths, key=lambda path: -path.span_ns))


def critical_path(dag: Dag) -> CriticalPath:
    before, cause, confidence = _binding(dag)
    nodes = _walk(dag, before)
    begin, end = _without_overlap(dag, nodes)
    own = end - begin
    kind = dag.kind[nodes]
    work = kind <= NodeKind.COPY
    slack = slack_of(dag)
    return CriticalPath(
        dag=dag,
        nodes=nodes,
        cause=cause[nodes],
        slack=slack,
        span_ns=dag.span_ns,
        critical_path_ns=int(own[work].sum()),
        copy_ns=int(own[kind == NodeKind.COPY].sum()),
        gaps=gaps_of(dag, nodes, cause[nodes], begin, end),
        kernels=_kernels(dag, nodes, own, slack),
        confidence=float(confidence[nodes].min()),
    )


def _binding(dag: Dag) -> tuple[IntColumn, SmallColumn, FloatColumn]:
    """For each node the dependency that made it ready last: its node, cause and confidence."""
    before = dag.host_wait.copy()
    explained = (before != NONE) | (dag.submitted != LONG_AGO)
    cause = np.where(explained, np.int8(Cause.HOST_ORDER), np.int8(Cause.START))
    confidence = np.ones(len(dag))
    by_chain = dag.follows_previous
    by_chain[1:] &= dag.end[:-1] + dag.chain_lag[1:] == dag.ready[1:]
    chained = np.flatnonzero(by_chain)
    before[chained] = chained - 1
    np.copyto(cause, dag.chain_cause, where=by_chain)
    np.copyto(confidence, dag.chain_confidence, where=by_chain)
    edges = dag.edges
    last = dag.end[edges.source] + dag.edge_lag == dag.ready[edges.target]
    target = edges.target[last]
    before[target], cause[target] = edges.source[last], edges.cause[last]
    confidence[target] = edges.confidence[last]
    return before, cause, confidence


def _walk(dag: Dag, before: IntColumn) -> IntColumn:
    """From the last end back to the start, in runs: most nodes come after the one before them."""
    work = np.flatnonzero(dag.is_work & (dag.end == dag.last_end))
    node = int(work[np.argmax(dag.rank[work])])
    places = np.arange(len(before))
    first = np.maximum.accumulate(np.where(before == places - 1, 0, places))
    runs = []
    while node != NONE:
        runs.append(np.arange(first[node], node + 1, dtype=np.int64))
        node = int(before[first[node]])
    return np.concatenate(runs[::-1])


def _without_overlap(dag: Dag, nodes: IntColumn) -> tuple[IntColumn, IntColumn]:
    """Begin and end of the path's nodes such that no time is counted twice."""
    begin, end = dag.begin[nodes], dag.end[nodes]
    until = np.concatenate([begin[1:], [dag.last_end]])
    until = np.minimum.accumulate(until[::-1])[::-1]
    end = np.clip(end, dag.first_begin, np.maximum(until, dag.first_begin))
    return np.clip(begin, dag.first_begin, end), end


def _kernels(
    dag: Dag, nodes: IntColumn, own: IntColumn, slack: IntColumn
) -> tuple[KernelOnPath, ...]:
    kernels = dag.trace.kernels
    names = sorted({kernel.name for kernel in kernels})
    number = {name: index for index, name in enumerate(names)}
    group_of = np.array([*(number[kernel.name] for kernel in kernels), NONE], dtype=np.int64)
    group = group_of[dag.kernel]
    blit = {kernel.name for kernel in kernels if kernel.is_runtime_blit}
    dispatch = np.flatnonzero(group != NONE)
    count = np.bincount(group[dispatch], minlength=len(names))
    least = np.full(len(names), UNBOUNDED, dtype=np.int64)
    np.minimum.at(least, group[dispatch], slack[dispatch])
    on_path = group[nodes] != NONE
    path_group = group[nodes][on_path]
    path_count = np.bincount(path_group, minlength=len(names))
    path_ns = np.zeros(len(names), dtype=np.int64)
    np.add.at(path_ns, path_group, own[on_path])
    span = max(dag.span_ns, 1)
    columns = zip(  # lists: one value out of a NumPy column takes as long as ten out of a list
        names, path_ns.tolist(), count.tolist(), path_count.tolist(), least.tolist()
    )
    found = [
        KernelOnPath(
            name=name,
            is_runtime_blit=name in blit,
            path_ns=own_ns,
            fraction=own_ns / span,
            dispatches=dispatches,
            dispatches_on_path=of_path,
            least_slack_ns=slack_ns,
        )
        for name, own_ns, dispatches, of_path, slack_ns in columns
        if dispatches
    ]
    return tuple(sorted(found, key=lambda k: (-k.path_ns, k.least_slack_ns, k.name)))
