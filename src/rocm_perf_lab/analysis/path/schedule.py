"""When every node of a graph ends if nodes take other times than they did.

Along a chain, a node ends at ``max(release, end of the one before + lag) + cost``. Minus the sum of
lags and costs up to the node, that is a running maximum. Only where a dependency enters from
elsewhere, or leaves, another chain has to be known: there chains are cut into pieces. Pieces are
gone through one by one in order of rank, nodes all at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.analysis.graph.dag import LONG_AGO, NONE, Dag
from rocm_perf_lab.trace.model import IntColumn


class Schedule:
    """The pieces of one graph: they do not depend on how long nodes take, so they are made once."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        follows = dag.follows_previous
        self._chains = np.append(np.flatnonzero(~follows), len(dag)).tolist()
        self._waiting = np.flatnonzero(dag.host_wait != NONE)
        delay = dag.delay
        self._offered = dag.host_lag + delay  # without durations, and without the end of the wait
        self._edge_cost = dag.edge_lag + delay[dag.edges.target]
        delay += np.where(follows, dag.chain_lag, 0)
        self._along = np.cumsum(delay, out=delay)  # without durations
        self._idle = np.flatnonzero(~dag.is_work)
        begins = self._beginnings(follows)
        self._first = np.flatnonzero(begins)
        self._piece = np.cumsum(begins) - 1  # of each node
        self._order_pieces(follows)

    def _beginnings(self, follows: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Nodes that begin a piece: all that follow in it depend on nothing but the same wait."""
        dag = self.dag
        begins = ~follows
        begins[1:] |= dag.host_wait[1:] != dag.host_wait[:-1]
        begins[dag.edges.target] = True
        leaves = np.zeros(len(dag) + 1, dtype=bool)
        leaves[dag.edges.source] = True
        leaves[dag.host_wait[self._waiting]] = True
        begins[1:] |= leaves[: len(dag) - 1]
        return begins

    def _order_pieces(self, follows: npt.NDArray[np.bool_]) -> None:
        """What is known of each piece before any time is, in the order of their ranks."""
        edges = self.dag.edges
        order = np.argsort(self.dag.rank[self._first], kind="stable")
        wait = self.dag.host_wait[self._first[order]]
        self._order, self._wait = order, wait
        entered = self._piece[edges.target]
        self._edge_order = np.argsort(entered, kind="stable")
        ends = np.searchsorted(entered[self._edge_order], np.arange(len(order)), side="right")
        begins = np.concatenate([[0], ends[:-1]])
        self._sources: list[int] = self._piece[edges.source[self._edge_order]].tolist()
        self._steps: list[tuple[int, int, bool, int, int]] = list(
            zip(
                order.tolist(),
                np.where(wait == NONE, NONE, self._piece[wait]).tolist(),
                follows[self._first[order]].tolist(),
                begins[order].tolist(),
                ends[order].tolist(),
            )
        )

    def ends(self, duration: IntColumn) -> IntColumn:
        """The end of each node if it takes this long and begins as soon as it may."""
        edges = self.dag.edges
        along = np.cumsum(duration)
        along += self._along
        offered = self._offered + duration
        offered -= along
        by_edge = along[edges.source] - along[edges.target]
        by_edge += self._edge_cost + duration[edges.target]
        reached = np.array(self._pieces(offered, along, by_edge), dtype=np.int64)
        wait = self.dag.host_wait[self._waiting]
        offered[self._waiting] += reached[self._piece[wait]] + along[wait]
        np.maximum.at(offered, edges.target, by_edge + reached[self._piece[edges.source]])
        for low, high in zip(self._chains, self._chains[1:]):
            np.maximum.accumulate(offered[low:high], out=offered[low:high])
        offered += along
        return offered

    def span_with(self, duration: IntColumn) -> int:
        """First begin to last end of GPU work when every node takes this long."""
        end = self.ends(duration)
        begin = end - duration
        end[self._idle], begin[self._idle] = LONG_AGO, -LONG_AGO
        return int(end.max() - begin.min())

    def _pieces(self, offered: IntColumn, along: IntColumn, by_edge: IntColumn) -> Sequence[int]:
        """The running maximum at the last node of each piece."""
        best: list[int] = np.maximum.reduceat(offered, self._first)[self._order].tolist()
        wait_along: list[int] = np.where(self._wait == NONE, 0, along[self._wait]).tolist()
        offers: list[int] = by_edge[self._edge_order].tolist()
        sources = self._sources
        reached = [LONG_AGO] * len(best)
        steps = zip(self._steps, best, wait_along)
        for (piece, waited, continues, edge, until), value, after in steps:
            if waited != NONE:
                value += reached[waited] + after
            if continues and reached[piece - 1] > value:
                value = reached[piece - 1]
            while edge < until:
                offer = offers[edge] + reached[sources[edge]]
                if offer > value:
                    value = offer
                edge += 1
            reached[piece] = value
        return reached
