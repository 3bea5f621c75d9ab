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

# A guess from timestamps: nothing else is likely to explain a start so soon after an end.
FARTHEST_GUESS_NS = 10_000
LEAST_CONFIDENCE = 0.5
# Of the dependencies of a stream that are inferred, at most this part may be coincidences.
FALSE_GUESSES = 0.01
# How many ends to expect by chance is counted this far around a start: work comes in bursts.
NEIGHBOURHOOD_NS = 10 * FARTHEST_GUESS_NS


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
    near = _near_ends(layout, begin, end, work)
    stood_still = begin[near.target] - _end_before(layout, end, near.target) > FARTHEST_GUESS_NS
    keep = np.zeros(len(near.target), dtype=bool)
    chain = layout.chain[near.target]
    for number in np.unique(chain).tolist():
        tried = np.flatnonzero(stood_still & (chain == number))
        keep[tried] = _not_by_chance(1.0 - near.confidence[tried])
    keep &= begin[near.target] - end[near.source] <= FARTHEST_GUESS_NS
    return Piece(near.source[keep], near.target[keep], near.cause, near.confidence[keep])


def edges_of_silent_waits(
    layout: Layout, begin: IntColumn, end: IntColumn, work: npt.NDArray[np.bool_]
) -> Piece:
    """Streams are known to wait for each other, not when: every likely place is taken."""
    near = _near_ends(layout, begin, end, work)
    keep = begin[near.target] - end[near.source] <= FARTHEST_GUESS_NS
    keep &= near.confidence >= LEAST_CONFIDENCE
    return Piece(near.source[keep], near.target[keep], near.cause, near.confidence[keep])


def _near_ends(
    layout: Layout, begin: IntColumn, end: IntColumn, work: npt.NDArray[np.bool_]
) -> Piece:
    node = np.flatnonzero(work)
    source, target = _ended_last(layout, begin, end, node)
    gap = begin[target] - end[source]
    chance = _chance(gap, begin[target], begin[node], end[node])
    return Piece(source, target, Cause.INFERRED, 1.0 - chance)


def _chance(gap: IntColumn, time: IntColumn, begins: IntColumn, ends: IntColumn) -> FloatColumn:
    """The chance that one of these unrelated ends comes as close before each time."""
    if not len(ends):
        return np.zeros(len(gap))
    ends = np.sort(ends)
    low = np.maximum(time - NEIGHBOURHOOD_NS, begins.min())
    high = np.minimum(time + NEIGHBOURHOOD_NS, ends[-1])
    near = np.searchsorted(ends, high, side="right") - np.searchsorted(ends, low, side="left")
    rate = near / np.maximum(high - low, 1)
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
