"""Edges between chains: the default stream, waits of the host, and guesses."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.analysis.graph.calls import Calls
from rocm_perf_lab.analysis.graph.dag import NONE, Cause, Edges, FloatColumn, NodeKind
from rocm_perf_lab.analysis.graph.nodes import Layout
from rocm_perf_lab.trace.lookup import positions_of
from rocm_perf_lab.trace.model import IntColumn, Trace

# A stream that stands still for less is between two kernels: that tells nothing of others.
HAND_OVER_NS = 10_000
LEAST_CONFIDENCE = 0.5
# Of the dependencies of a stream that are inferred, at most this part may be coincidences.
FALSE_GUESSES = 0.01
# How many ends to expect by chance is counted so many times as far around a start as the end is
# before it, but over this time at least: work comes in bursts.
NEIGHBOURHOOD = 10
LEAST_NEIGHBOURHOOD_NS = 100_000


@dataclass(frozen=True)
class Piece:
    """Edges of one cause."""

    source: IntColumn
    target: IntColumn
    cause: Cause
    confidence: FloatColumn


def joined(pieces: Iterable[Piece], rank: IntColumn) -> Edges:
    """All edges that go forward in rank; the others contradict the order of submission."""
    kept = list(pieces)
    nothing = np.zeros(0, dtype=np.int64)
    source = np.concatenate([nothing, *(piece.source for piece in kept)])
    target = np.concatenate([nothing, *(piece.target for piece in kept)])
    cause = np.concatenate(
        [np.zeros(0, np.int8), *(np.full(len(p.source), p.cause, np.int8) for p in kept)]
    )
    confidence = np.concatenate([np.zeros(0), *(piece.confidence for piece in kept)])
    forward = (source != NONE) & (target != NONE)
    forward[forward] = rank[source[forward]] < rank[target[forward]]
    return Edges(source[forward], target[forward], cause[forward], confidence[forward])


def certain(source: IntColumn, target: IntColumn, cause: Cause) -> Piece:
    return Piece(source, target, cause, np.ones(len(source)))


def default_stream_edges(layout: Layout, null: int, blocking: Iterable[int]) -> list[Piece]:
    """Work on the legacy default stream waits for blocking streams, and they for it."""
    own = np.arange(layout.first[null], layout.first[null + 1], dtype=np.int64)
    times = layout.key[own]
    pieces = []
    for chain in blocking:
        before = layout.last_before(chain, times, side="left")
        # Later nodes of the same chain follow the first one anyhow.
        new = np.concatenate([[True], before[1:] != before[:-1]]) if len(own) else own > 0
        pieces.append(certain(before[new], own[new], Cause.DEFAULT_STREAM))
        after = layout.first_after(chain, times)
        latest = np.concatenate([after[1:] != after[:-1], [True]]) if len(own) else own > 0
        pieces.append(certain(own[latest], after[latest], Cause.DEFAULT_STREAM))
    return pieces


class HostWaits:
    """Edges from GPU work to the calls that waited for it."""

    def __init__(self, calls: Calls, layout: Layout, begin: IntColumn, end: IntColumn) -> None:
        self._calls = calls
        self._layout = layout
        self._begin = begin
        self._end = end
        self._nodes = np.flatnonzero(layout.kind == NodeKind.HOST_WAIT)

    def edges(self, rows: IntColumn, chain: int, times: IntColumn) -> Piece:
        """These calls waited for everything submitted to the chain until ``times``."""
        calls = self._calls.trace.api_calls
        source = self._layout.last_before(chain, times)
        keep = (source != NONE) & (
            self._end[source] <= calls.end[rows] + self._calls.trace.clock_skew_ns
        )
        rows, source = rows[keep], source[keep]
        # A thread that waited for this work once has nothing more to wait for.
        new = np.ones(len(rows), dtype=bool)
        new[1:] = (source[1:] != source[:-1]) | (calls.thread[rows[1:]] != calls.thread[rows[:-1]])
        return certain(source[new], self._nodes_of(rows[new]), Cause.BLOCKING_CALL)

    def guesses(self, rows: IntColumn, work: npt.NDArray[np.bool_]) -> Piece:
        """Of these calls it is not known what they waited for: work that ended before they did."""
        calls = self._calls.trace.api_calls
        node = np.flatnonzero(work)
        by_end = node[np.argsort(self._end[node], kind="stable")]
        until = calls.end[rows] + self._calls.trace.clock_skew_ns
        slot = np.searchsorted(self._end[by_end], until, side="right") - 1
        source = by_end[slot.clip(min=0)]
        ended = self._end[source]
        gap = np.maximum(calls.end[rows] - ended, 0)
        confidence = 1.0 - _chance(gap, calls.end[rows], self._begin[node], self._end[node])
        keep = (slot >= 0) & (ended > calls.start[rows])
        # It did wait for something: what ended last is as good a guess as any other.
        likely = np.maximum(confidence[keep], LEAST_CONFIDENCE)
        return Piece(source[keep], self._nodes_of(rows[keep]), Cause.INFERRED, likely)

    def _nodes_of(self, rows: IntColumn) -> IntColumn:
        return self._nodes[positions_of(rows, self._layout.row[self._nodes])]


def chosen_devices(calls: Calls, rows: IntColumn) -> IntColumn:
    """The agent that was current in the calling thread at each call, from hipSetDevice."""
    trace = calls.trace
    gpus = {
        agent.type_index: index
        for index, agent in enumerate(trace.agents)
        if agent.kind == "GPU" and _of_calls_process(trace, calls, agent.process)
    }
    choices: dict[int, tuple[list[int], list[int]]] = {}
    (ordinals,) = calls.numbers(calls.device_choices, "deviceId")
    for row, ordinal in zip(calls.device_choices.tolist(), ordinals.tolist()):
        times, agents = choices.setdefault(int(trace.api_calls.thread[row]), ([], []))
        times.append(int(trace.api_calls.start[row]))
        agents.append(gpus.get(max(ordinal, 0), NONE))
    result = np.full(len(rows), gpus.get(0, NONE), dtype=np.int64)
    for place, row in enumerate(rows.tolist()):
        times, agents = choices.get(int(trace.api_calls.thread[row]), ([], []))
        slot = bisect_right(times, int(trace.api_calls.start[row]))
        if slot:
            result[place] = agents[slot - 1]
    return result


def _of_calls_process(trace: Trace, calls: Calls, process: int) -> bool:
    return not len(calls.rows) or int(trace.api_calls.process[calls.rows[0]]) == process


def inferred_edges(
    layout: Layout, begin: IntColumn, end: IntColumn, work: npt.NDArray[np.bool_]
) -> Piece:
    """Without calls that would tell: work that starts right after the end of work elsewhere.

    Only where its own stream stood still before, and only as many as chance cannot explain:
    independent streams, of which some end happens to precede some start, get no edge.
    """
    first = int(begin[work].min()) if work.any() else 0
    near = _near_ends(layout, begin, end, work, np.full(len(begin), first))
    stood_still = begin[near.target] - _end_before(layout, end, near.target) > HAND_OVER_NS
    keep = np.zeros(len(near.target), dtype=bool)
    chain = layout.chain[near.target]
    for number in np.unique(chain).tolist():
        tried = np.flatnonzero(stood_still & (chain == number))
        keep[tried] = _not_by_chance(1.0 - near.confidence[tried])
    return Piece(near.source[keep], near.target[keep], near.cause, near.confidence[keep])


def edges_of_silent_waits(
    layout: Layout, begin: IntColumn, end: IntColumn, work: npt.NDArray[np.bool_]
) -> Piece:
    """Streams are known to wait for each other, not when: every likely place is taken.

    Work that is at the head of its queue, and does not begin, waits for what was submitted to
    another queue before it: an event is recorded before it is waited for. Where nothing of that
    ended meanwhile, an end elsewhere counts that comes sooner before the start than by chance.
    """
    queued = np.minimum(layout.key, begin)
    ordered = _by_queue_order(layout, begin, end, np.flatnonzero(work), queued)
    near = _near_ends(layout, begin, end, work, queued)
    likely = (near.confidence >= LEAST_CONFIDENCE) & ~np.isin(near.target, ordered.target)
    return Piece(
        np.concatenate([ordered.source, near.source[likely]]),
        np.concatenate([ordered.target, near.target[likely]]),
        Cause.INFERRED,
        np.concatenate([ordered.confidence, near.confidence[likely]]),
    )


def _by_queue_order(
    layout: Layout, begin: IntColumn, end: IntColumn, nodes: IntColumn, queued: IntColumn
) -> Piece:
    """For work whose stream stands still: what was submitted to another stream last before it, if
    that ended meanwhile. The later it ended in that time, the surer it is what was waited for."""
    since = np.maximum(_end_before(layout, end, nodes), queued[nodes])
    still = begin[nodes] - since
    target, since, still = (column[still > HAND_OVER_NS] for column in (nodes, since, still))
    source = np.full(len(target), NONE, dtype=np.int64)
    latest = since.copy()
    for chain in np.unique(layout.chain[nodes]).tolist():
        before = layout.last_before(chain, layout.key[target], side="left")
        ended = end[before]
        meant = (before != NONE) & (layout.chain[target] != chain)
        meant &= (ended > latest) & (ended <= begin[target])
        source[meant], latest[meant] = before[meant], ended[meant]
    found = source != NONE
    confidence = np.maximum(LEAST_CONFIDENCE, (latest - since) / np.maximum(still, 1))
    return Piece(source[found], target[found], Cause.INFERRED, confidence[found])


def _near_ends(
    layout: Layout,
    begin: IntColumn,
    end: IntColumn,
    work: npt.NDArray[np.bool_],
    queued: IntColumn,
) -> Piece:
    """The last end elsewhere before each begin, and how sure it is that this is no coincidence.

    ``queued``: when each node was in its queue.
    """
    node = np.flatnonzero(work)
    source, target = _ended_last(layout, begin, end, node)
    since = np.minimum(np.maximum(_end_before(layout, end, target), queued[target]), begin[target])
    ends = _Ends(layout.chain[node], end[node], int(begin[node].min()) if len(node) else 0)
    lag = begin[target] - end[source]
    chance = np.maximum(
        ends.chance_since(since, begin[target], layout.chain[target], lag),
        ends.chance_around(begin[target], layout.chain[target], lag),
    )
    return Piece(source, target, Cause.INFERRED, 1.0 - chance)


class _Ends:
    """Ends of work, of which those of other streams may come by chance shortly before a start."""

    def __init__(self, chain: IntColumn, end: IntColumn, first_begin: int) -> None:
        self._all = np.sort(end)
        self._own = {number: np.sort(end[chain == number]) for number in np.unique(chain).tolist()}
        self._first_begin = first_begin

    def chance_since(
        self, since: IntColumn, begin: IntColumn, chain: IntColumn, lag: IntColumn
    ) -> FloatColumn:
        """That the last of the ends since a stream stands still is as late, if they are anywhere
        in that time. An end before that time is no reason to wait."""
        still = np.maximum(begin - since, 1)
        earlier = np.clip(1.0 - lag / still, 0.0, 1.0)
        chance = 1.0 - earlier ** np.maximum(self._elsewhere(since, begin, chain), 1)
        return np.asarray(np.where(begin - lag > since, chance, 1.0), dtype=np.float64)

    def chance_around(self, begin: IntColumn, chain: IntColumn, lag: IntColumn) -> FloatColumn:
        """That one of the ends comes as close before, if they come as often as around it."""
        if not len(self._all):
            return np.zeros(len(lag))
        far = np.maximum(NEIGHBOURHOOD * lag, LEAST_NEIGHBOURHOOD_NS)
        low = np.maximum(begin - far, self._first_begin)
        high = np.minimum(begin + far, self._all[-1])
        rate = self._elsewhere(low, high, chain) / np.maximum(high - low, 1)
        return np.asarray(-np.expm1(-lag * rate), dtype=np.float64)

    def _elsewhere(self, low: IntColumn, high: IntColumn, chain: IntColumn) -> IntColumn:
        count = _between(self._all, low, high)
        for number in np.unique(chain).tolist():
            own = chain == number
            count[own] -= _between(self._own[number], low[own], high[own])
        return count


def _between(ends: IntColumn, low: IntColumn, high: IntColumn) -> IntColumn:
    count = np.searchsorted(ends, high, side="right") - np.searchsorted(ends, low, side="left")
    return count.astype(np.int64)


def _chance(gap: IntColumn, time: IntColumn, begins: IntColumn, ends: IntColumn) -> FloatColumn:
    """The chance that one of these unrelated ends comes as close before each time."""
    if not len(ends):
        return np.zeros(len(gap))
    ends = np.sort(ends)
    low = np.maximum(time - LEAST_NEIGHBOURHOOD_NS, begins.min())
    high = np.minimum(time + LEAST_NEIGHBOURHOOD_NS, ends[-1])
    rate = _between(ends, low, high) / np.maximum(high - low, 1)
    return np.asarray(-np.expm1(-gap * rate), dtype=np.float64)


def _not_by_chance(chance: FloatColumn) -> npt.NDArray[np.bool_]:
    """The smallest ones, of which few are coincidences (Storey's estimate of false discoveries).

    Coincidences are as often above one half as below: those above tell how many there are.
    """
    count = len(chance)
    coincidences = min(count, 2 * (1 + np.count_nonzero(chance > 0.5)))
    order = np.argsort(chance, kind="stable")
    false = coincidences * chance[order]
    below = np.flatnonzero(false <= FALSE_GUESSES * np.arange(1, count + 1))
    kept = np.zeros(count, dtype=bool)
    kept[order[: below[-1] + 1 if len(below) else 0]] = True
    return kept


def guessed_edges(
    layout: Layout, begin: IntColumn, end: IntColumn, work: npt.NDArray[np.bool_]
) -> Piece:
    """With calls of which many are missing: from whatever ended last to what began next.

    Nothing tells what the host waited for, so that is as good a guess as any, however long the
    gap is.
    """
    node = np.flatnonzero(work)
    source, target = _ended_last(layout, begin, end, node)
    return Piece(source, target, Cause.INFERRED, np.full(len(source), LEAST_CONFIDENCE))


def _ended_last(
    layout: Layout, begin: IntColumn, end: IntColumn, nodes: IntColumn
) -> tuple[IntColumn, IntColumn]:
    """Of these nodes the one that ended last before each began, if it is on another chain."""
    by_end = nodes[np.argsort(end[nodes], kind="stable")]
    slot = np.searchsorted(end[by_end], begin[nodes], side="right") - 1
    target, source = nodes[slot >= 0], by_end[slot[slot >= 0]]
    other = layout.chain[source] != layout.chain[target]
    other &= end[source] > _end_before(layout, end, target)
    return source[other], target[other]


def _end_before(layout: Layout, end: IntColumn, target: IntColumn) -> IntColumn:
    """When the node before each on its own chain ended; long ago where it is the first."""
    first = layout.chain[target] != layout.chain[target - 1]
    return np.where(first, np.iinfo(np.int64).min // 2, end[target - 1])
