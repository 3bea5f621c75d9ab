"""Idle time of the critical path: where nothing of the path ran, and what the time was spent on."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.analysis.graph.dag import LONG_AGO, Cause, Dag, NodeKind, SmallColumn
from rocm_perf_lab.analysis.path.host_time import time_in_calls
from rocm_perf_lab.trace.model import IntColumn


class Idle(enum.IntEnum):
    """What idle time was spent on."""

    LAUNCH = 0  # inside API calls, and from a launching call to its work
    HOST = 1  # the application's own code between calls
    SYNCHRONISATION = 2  # from the end of work to the return of the call that waited
    DEPENDENCY = 3  # from the end of one piece of work to the next that depends on it
    UNKNOWN = 4  # no API call was recorded that would explain it


@dataclass(frozen=True)
class IdleTime:
    """All idle time of a path, by what it was spent on."""

    launch_ns: int = 0
    host_ns: int = 0
    synchronisation_ns: int = 0
    dependency_ns: int = 0
    unknown_ns: int = 0

    @property
    def total_ns(self) -> int:
        return sum(vars(self).values())


@dataclass(frozen=True)
class Gaps:
    """Stretches between two pieces of work of the path, in order of time; none is empty."""

    node: IntColumn  # the work that ended the gap
    begin: IntColumn
    end: IntColumn
    parts: IntColumn  # ns, one row per gap, one column per Idle

    def __len__(self) -> int:
        return len(self.node)

    @property
    def length(self) -> IntColumn:
        return self.end - self.begin

    @property
    def idle(self) -> IdleTime:
        return IdleTime(*(int(part) for part in self.parts.sum(axis=0)))

    def largest(self, count: int) -> IntColumn:
        """Positions of the longest gaps, the longest first."""
        return np.argsort(-self.length, kind="stable")[:count].astype(np.int64)


def gaps_of(
    dag: Dag, nodes: IntColumn, cause: SmallColumn, begin: IntColumn, end: IntColumn
) -> Gaps:
    """``begin`` and ``end`` of the path's nodes must not overlap."""
    since = np.concatenate([[dag.first_begin], end[:-1]])
    parts = _parts(dag, nodes, cause, since, begin, end)
    # Waits stand between two pieces of work, so a gap is what leads up to the second of them.
    work = np.flatnonzero(dag.kind[nodes] <= NodeKind.COPY)
    first = np.concatenate([[0], work[:-1] + 1])
    parts = np.add.reduceat(parts, first, axis=0)
    found = np.flatnonzero(parts.any(axis=1))
    return Gaps(nodes[work[found]], since[first[found]], begin[work[found]], parts[found])


def _parts(
    dag: Dag,
    nodes: IntColumn,
    cause: SmallColumn,
    since: IntColumn,
    begin: IntColumn,
    end: IntColumn,
) -> IntColumn:
    """Per node of the path: idle time up to its begin, and for waits up to their return."""
    gap = begin - since
    waits = dag.kind[nodes] == NodeKind.HOST_WAIT
    by_host = cause == Cause.HOST_ORDER
    submitted = np.clip(np.where(waits, begin, dag.submitted[nodes]), since, begin)
    host = np.where(by_host, submitted - since, 0)
    in_calls = _in_calls(dag, nodes, since, submitted, host > 0)
    unknown = (cause == Cause.START) | (~by_host & ~waits & (dag.submitted[nodes] == LONG_AGO))
    unknown &= dag.kind[nodes] != NodeKind.EVENT_WAIT
    others = ~by_host & ~unknown
    parts = np.zeros((len(nodes), len(Idle)), dtype=np.int64)
    parts[:, Idle.LAUNCH] = np.where(by_host, begin - submitted, 0) + in_calls
    parts[:, Idle.HOST] = host - in_calls
    parts[:, Idle.SYNCHRONISATION] = np.where(waits, end - begin, 0)
    parts[:, Idle.SYNCHRONISATION] += np.where(others & waits, gap, 0)
    parts[:, Idle.DEPENDENCY] = np.where(others & ~waits, gap, 0)
    parts[:, Idle.UNKNOWN] = np.where(unknown, gap, 0)
    return parts


def _in_calls(
    dag: Dag,
    nodes: IntColumn,
    since: IntColumn,
    until: IntColumn,
    chosen: npt.NDArray[np.bool_],
) -> IntColumn:
    """Time that the host spent inside API calls in these stretches of the path."""
    result = np.zeros(len(nodes), dtype=np.int64)
    picked = np.flatnonzero(chosen)
    if len(picked):
        result[picked] = time_in_calls(
            dag.trace, dag.process, dag.thread_of(nodes[picked]), since[picked], until[picked]
        )
    return result
