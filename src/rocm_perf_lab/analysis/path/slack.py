"""Slack: how much longer each node could take before the last work ends later.

Most nodes have one successor, the next in their chain, and their slack is that one's plus the
margin between the two: a running sum. Only where other dependencies leave (few nodes) a choice is
made, one node after the other from the last to the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.analysis.graph.dag import NONE, Dag
from rocm_perf_lab.trace.model import IntColumn

UNBOUNDED = 1 << 62  # nothing that the GPU does depends on this node


@dataclass(frozen=True)
class _Choices:
    """Dependencies that leave a node for the head of a run, and the margin over the way there."""

    source: IntColumn
    head: IntColumn
    margin: IntColumn


def slack_of(dag: Dag) -> IntColumn:
    """Nanoseconds per node; ``UNBOUNDED`` where no later GPU work depends on the node."""
    count = len(dag)
    margin = np.zeros(count, dtype=np.int64)  # towards the next node of the chain
    np.subtract(dag.ready[1:], dag.chain_lag[1:], out=margin[:-1])
    margin[:-1] -= dag.end[:-1]
    margin[:-1][~dag.follows_previous[1:]] = 0
    along = np.zeros(count, dtype=np.int64)
    np.cumsum(margin[:-1], out=along[1:])
    heads = np.flatnonzero(_heads(dag, margin))  # the last node is one of them
    run = np.diff(heads, prepend=-1)  # nodes up to each head
    known = _choose(dag, heads, _choices(dag, np.repeat(heads, run), along, margin))
    slack = np.repeat(known + along[heads], run)
    slack -= along
    slack[np.repeat(known >= UNBOUNDED, run)] = UNBOUNDED
    return slack


def _heads(dag: Dag, margin: IntColumn) -> npt.NDArray[np.bool_]:
    """Nodes with another way out than to the next of their chain.

    Among them is work that ends so late that the end of the recording is nearer than the way
    over its successor; that happens where the recording shows an overlap.
    """
    heads = np.ones(len(dag), dtype=bool)
    next_end = dag.end[1:] - margin[:-1]
    plain = dag.follows_previous[1:] & (dag.end[:-1] <= next_end)
    plain &= dag.is_work[1:] | ~dag.is_work[:-1]
    heads[:-1] = ~plain
    heads[dag.edges.source] = True
    heads[dag.host_wait[dag.host_wait != NONE]] = True
    return heads


def _choices(dag: Dag, head: IntColumn, along: IntColumn, margin: IntColumn) -> _Choices:
    edges = dag.edges
    from_edges = dag.ready[edges.target] - dag.edge_lag - dag.end[edges.source]
    hosted = np.flatnonzero(dag.host_wait != NONE)
    waits = dag.host_wait[hosted]
    from_host = (dag.ready - dag.host_lag)[hosted] - dag.end[waits]
    host = _shortest_of_runs(
        _Choices(waits, head[hosted], from_host + along[head[hosted]] - along[hosted])
    )
    before = np.flatnonzero(dag.follows_previous) - 1
    leaving = before[head[before] == before]
    return _Choices(
        np.concatenate([edges.source, host.source, leaving]),
        np.concatenate([head[edges.target], host.head, head[leaving + 1]]),
        np.concatenate(
            [
                from_edges + along[head[edges.target]] - along[edges.target],
                host.margin,
                margin[leaving] + along[head[leaving + 1]] - along[leaving + 1],
            ]
        ),
    )


def _shortest_of_runs(choices: _Choices) -> _Choices:
    """One choice for neighbours that lead from the same wait to the same head."""
    if not len(choices.source):
        return choices
    changed = (np.diff(choices.source) != 0) | (np.diff(choices.head) != 0)
    first = np.concatenate([[0], np.flatnonzero(changed) + 1])
    return _Choices(
        choices.source[first],
        choices.head[first],
        np.minimum.reduceat(choices.margin, first),
    )


def _choose(dag: Dag, heads: IntColumn, choices: _Choices) -> IntColumn:
    """The slack of every head, the last in rank first: what it leads to is known by then."""
    at_end = np.where(dag.is_work[heads], dag.last_end - dag.end[heads], UNBOUNDED)
    order = np.argsort(-dag.rank[choices.source], kind="stable")
    known: list[int] = at_end.tolist()
    for source, head, margin in zip(
        np.searchsorted(heads, choices.source[order]).tolist(),  # all sources are heads
        np.searchsorted(heads, choices.head[order]).tolist(),
        choices.margin[order].tolist(),
    ):
        reached = known[head] + margin
        if reached < known[source]:
            known[source] = reached
    return np.array(known, dtype=np.int64)
