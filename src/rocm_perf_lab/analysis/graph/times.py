"""When each node was ready, and what every dependency costs, so that the recording comes out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.analysis.graph import calls as dag_calls
from rocm_perf_lab.analysis.graph.calls import Calls
from rocm_perf_lab.analysis.graph.dag import (
    LONG_AGO,
    NONE,
    Cause,
    Dag,
    Edges,
    FloatColumn,
    NodeKind,
    SmallColumn,
)
from rocm_perf_lab.analysis.graph.nodes import Layout
from rocm_perf_lab.trace.model import IntColumn, Trace

GUESSED_ORDER = 0.5  # confidence in the order within a hardware queue that streams may share
GRAPH_ORDER = 0.8  # nodes of one graph launch may be independent although they ran in turn


@dataclass(frozen=True)
class Placed:
    """Nodes with the times of the recording and their dependencies, before lags are known."""

    calls: Calls
    layout: Layout
    begin: IntColumn  # of host waits: the call; of barriers: not known yet
    end: IntColumn
    launch: IntColumn
    host_wait: IntColumn
    edges: Edges
    order_is_guessed: bool
    silent_calls: int
    unlaunched: int  # above 0: the times of launching calls say nothing


def timed(trace: Trace, process: int, placed: Placed) -> Dag:
    layout, edges = placed.layout, placed.edges
    work = layout.kind <= NodeKind.COPY
    waits = layout.kind == NodeKind.HOST_WAIT
    first_begin, last_end = int(placed.begin[work].min()), int(placed.end[work].max())
    begin, end = placed.begin.copy(), placed.end.copy()
    cause = _chain_causes(placed)
    follows = cause != Cause.START
    _place_barriers(placed, follows, first_begin, begin, end)
    submitted, release = _releases(placed, begin)
    before = np.concatenate([[LONG_AGO], end[:-1]])
    from_chain = np.minimum(before, begin)
    from_chain[~follows] = LONG_AGO
    from_chain[waits & follows] = begin[waits & follows]
    chain_lag = np.subtract(from_chain, before, out=before)
    chain_lag[~follows] = 0
    into = edges.target
    limit = np.where(waits[into], end[into], begin[into])
    from_edges = np.minimum(end[edges.source], limit)
    ready = np.maximum(from_chain, release, out=from_chain)
    np.maximum.at(ready, edges.target, from_edges)
    unknown = ready == LONG_AGO
    release[unknown] = begin[unknown]
    ready[unknown] = begin[unknown]
    begin[waits] = ready[waits]
    host_wait = np.where(release == LONG_AGO, NONE, placed.host_wait)
    hosted = np.flatnonzero(host_wait != NONE)
    release[hosted] -= end[host_wait[hosted]]
    return Dag(
        trace=trace,
        process=process,
        kind=layout.kind,
        row=layout.row,
        chain=layout.chain,
        rank=layout.rank,
        begin=begin,
        end=end,
        submitted=submitted,
        chain_cause=cause,
        chain_confidence=_chain_confidence(cause),
        chain_lag=chain_lag,
        host_wait=host_wait,
        host_lag=release,
        edges=edges,
        edge_lag=from_edges - end[edges.source],
        ready=ready,
        first_begin=first_begin,
        last_end=last_end,
        calls=len(placed.calls.rows),
        silent_calls=placed.silent_calls,
        unlaunched=placed.unlaunched,
    )


def _chain_causes(placed: Placed) -> SmallColumn:
    layout, launch = placed.layout, placed.launch
    cause = np.full(len(layout.chain), Cause.STREAM_ORDER, dtype=np.int8)
    if placed.order_is_guessed:
        cause[:] = Cause.INFERRED
    cause[layout.kind == NodeKind.HOST_WAIT] = Cause.HOST_ORDER
    same = np.flatnonzero((launch[1:] == launch[:-1]) & (launch[1:] != NONE)) + 1
    in_graph = placed.calls.is_named(launch[same], (dag_calls.GRAPH_LAUNCH,))
    cause[same[in_graph]] = Cause.GRAPH_ORDER
    starts = layout.first[:-1]
    cause[starts[starts < layout.first[1:]]] = Cause.START
    return cause


def _chain_confidence(cause: SmallColumn) -> FloatColumn:
    table = np.ones(len(Cause))
    table[Cause.GRAPH_ORDER], table[Cause.INFERRED] = GRAPH_ORDER, GUESSED_ORDER
    return table[cause]


def _place_barriers(
    placed: Placed,
    follows: npt.NDArray[np.bool_],
    earliest: int,
    begin: IntColumn,
    end: IntColumn,
) -> None:
    """A barrier is passed when everything before it has ended."""
    is_barrier = placed.layout.kind == NodeKind.EVENT_WAIT
    barrier = np.flatnonzero(is_barrier)
    if not len(barrier):
        return
    into = is_barrier[placed.edges.target]
    chained = barrier[follows[barrier]]
    source = np.concatenate([placed.edges.source[into], chained - 1])
    target = np.concatenate([placed.edges.target[into], chained])
    on_barrier = is_barrier[source]
    passed = np.full(len(end), LONG_AGO, dtype=np.int64)
    np.maximum.at(passed, target[~on_barrier], end[source[~on_barrier]])
    _pass_in_turn(source[on_barrier], target[on_barrier], placed.layout.rank, passed)
    passed[barrier] = np.where(passed[barrier] == LONG_AGO, earliest, passed[barrier])
    end[barrier] = begin[barrier] = passed[barrier]


def _pass_in_turn(source: IntColumn, target: IntColumn, rank: IntColumn, passed: IntColumn) -> None:
    """Barriers that wait for other barriers: one after the other, as few as they are."""
    for place in np.argsort(rank[target], kind="stable").tolist():
        before, after = int(source[place]), int(target[place])
        passed[after] = max(passed[after], passed[before])


def _latencies(placed: Placed, begin: IntColumn, called: IntColumn) -> dict[NodeKind, int]:
    layout = placed.layout
    before = np.concatenate([[LONG_AGO], placed.end[:-1]])
    before[layout.first[:-1][layout.first[:-1] < len(before)]] = LONG_AGO
    queued = (called < before) & (begin >= before)
    found: dict[NodeKind, int] = {}
    behind: dict[NodeKind, int] = {}
    for kind in (NodeKind.DISPATCH, NodeKind.COPY):
        known = (placed.launch != NONE) & (layout.kind == kind)
        if not known.any():
            continue
        waited = begin - np.maximum(called, np.where(queued, before, called))
        behind[kind] = int(waited[known].min())
        if (known & ~queued).any():
            found[kind] = int((begin - called)[known].min())
    return {kind: found.get(kind, min([*found.values(), own])) for kind, own in behind.items()}


def _releases(placed: Placed, begin: IntColumn) -> tuple[IntColumn, IntColumn]:
    """When the host had submitted each node, and when it could begin after that.

    The shortest time from a launching call to its work is taken for the cost of every launch,
    of kernels and of copies. Where all of them had to queue that time says nothing: then it is
    that of the others, or from the end of what was before them.
    """
    layout, launch = placed.layout, placed.launch
    start = placed.calls.trace.api_calls.start
    submitted = np.full(len(launch), LONG_AGO, dtype=np.int64)
    release = submitted.copy()
    if placed.unlaunched:
        return submitted, release
    called = np.minimum(start[launch], begin) if len(start) else submitted
    latencies = _latencies(placed, begin, called)
    for kind, latency in latencies.items():
        known = (launch != NONE) & (layout.kind == kind)
        np.copyto(submitted, called, where=known)
        np.copyto(release, called + np.minimum(latency, begin - called), where=known)
    first_waits = np.flatnonzero(layout.kind == NodeKind.HOST_WAIT)
    first_waits = first_waits[np.isin(first_waits, layout.first[:-1])]
    release[first_waits] = begin[first_waits]
    return submitted, release
