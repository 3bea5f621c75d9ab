"""The dependency graph of one process: what had to end before what could begin, and why.

Nodes are dispatches, copies, host waits and event waits. They stand chain by chain (a chain is a
stream of one device, or a host thread), in order of submission, so that the usual dependency,
"after the one before me", needs no edge: it is the previous node. Host order is one column, and
only what is left (events, default stream, blocking calls, guesses) is a list of edges.

The graph reproduces the recording: a node is ready when its dependencies allow it,

    ready = max(end of dependency + lag),   begin = ready + delay,   end = begin + duration

where ``lag`` is what the dependency is known to cost (negative where the recording shows an
overlap) and ``delay`` is what remains unexplained. Every dependency goes from a lower to a higher
``rank``, so there are no cycles, whatever the timestamps say.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.trace.model import IntColumn, Trace

SmallColumn = npt.NDArray[np.int8]
FloatColumn = npt.NDArray[np.float64]

NONE = -1
LONG_AGO = -(1 << 62)  # a time before every recording


class NodeKind(enum.IntEnum):
    DISPATCH = 0
    COPY = 1
    HOST_WAIT = 2  # a call that returned only when GPU work had ended
    EVENT_WAIT = 3  # a barrier in a stream: takes no time of its own


class Cause(enum.IntEnum):
    """Why a node could not begin earlier."""

    START = 0  # nothing known before it
    STREAM_ORDER = 1
    EVENT = 2
    DEFAULT_STREAM = 3
    BLOCKING_CALL = 4  # a host wait for GPU work
    HOST_ORDER = 5  # submitted by the host after a wait, or after its start
    GRAPH_ORDER = 6
    INFERRED = 7  # from timestamps alone; see the confidence


@dataclass(frozen=True)
class Edges:
    """Dependencies that are neither chain order nor host order."""

    source: IntColumn
    target: IntColumn
    cause: SmallColumn
    confidence: FloatColumn

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True)
class Dag:
    """One process. Every column has one value per node, except those of ``edges``."""

    trace: Trace
    process: int
    kind: SmallColumn
    row: IntColumn  # of Trace.dispatches, Trace.copies or Trace.api_calls, by kind
    chain: IntColumn
    rank: IntColumn  # dependencies go from lower to higher rank
    begin: IntColumn  # of a host wait: when what it waited for had ended
    end: IntColumn
    submitted: IntColumn  # start of the launching call, LONG_AGO when not recorded
    chain_cause: SmallColumn  # cause of the dependency on the previous node, START for the first
    chain_confidence: FloatColumn
    chain_lag: IntColumn
    host_wait: IntColumn  # the wait after which the host submitted this node, NONE
    host_lag: IntColumn  # from the end of that wait; absolute time when there is none
    edges: Edges
    edge_lag: IntColumn
    ready: IntColumn
    first_begin: int  # of GPU work
    last_end: int
    calls: int  # API calls of the process that were recorded
    silent_calls: int  # those that order work, but without the arguments that say which
    unlaunched: int  # work without a launching call where calls were recorded only in part, or 0

    def __len__(self) -> int:
        return len(self.begin)

    @property
    def delay(self) -> IntColumn:
        return self.begin - self.ready

    @property
    def duration(self) -> IntColumn:
        return self.end - self.begin

    @property
    def is_work(self) -> npt.NDArray[np.bool_]:
        """Dispatches and copies: what the GPU spends time on."""
        return self.kind <= NodeKind.COPY

    @property
    def follows_previous(self) -> npt.NDArray[np.bool_]:
        """Whether a node depends on the one before it in the columns."""
        return np.asarray(self.chain_cause != Cause.START, dtype=bool)

    @property
    def span_ns(self) -> int:
        return self.last_end - self.first_begin

    @cached_property
    def kernel(self) -> IntColumn:
        """Index into ``Trace.kernels``, NONE for everything that is not a dispatch."""
        dispatch = self.kind == NodeKind.DISPATCH
        kernels = self.trace.dispatches.kernel
        if not len(kernels):
            return np.full(len(self), NONE, dtype=np.int64)
        found = kernels[np.where(dispatch, self.row, 0)].astype(np.int64)
        found[~dispatch] = NONE
        return found

    def thread_of(self, nodes: IntColumn) -> IntColumn:
        """The host thread that submitted work or waited; meaningless for barriers."""
        result = np.full(len(nodes), NONE, dtype=np.int64)
        tables = {
            NodeKind.DISPATCH: self.trace.dispatches.thread,
            NodeKind.COPY: self.trace.copies.thread,
            NodeKind.HOST_WAIT: self.trace.api_calls.thread,
        }
        for kind, threads in tables.items():
            own = self.kind[nodes] == kind
            result[own] = threads[self.row[nodes[own]]]
        return result
