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
        self._follows = dag.follows_previous
        begins = self._beginnings()
        self._first = np.flatnonzero(begins)
        self._piece = np.cumsum(begins) - 1  # of each node
        self._order: list[int] = np.argsort(dag.rank[self._first], kind="stable").tolist()
        self._wait = dag.host_wait[self._first]
        self._continues: list[bool] = self._follows[self._first].tolist()
        entered = self._piece[dag.edges.target]
        self._edge_order = np.argsort(entered, kind="stable")
        self._edges_until: list[int] = np.searchsorted(
            entered[self._edge_order], np.arange(len(self._first)), side="right"
        ).tolist()

    def _beginnings(self) -> npt.NDArray[np.bool_]:
        """Nodes that begin a piece: all that follow in it depend on nothing but the same wait."""
        dag = self.dag
        begins = ~self._follows
        begins[1:] |= dag.host_wait[1:] != dag.host_wait[:-1]
        begins[dag.edges.target] = True
        leaves = np.zeros(len(dag) + 1, dtype=bool)
        leaves[dag.edges.source] = True
        leaves[dag.host_wait[dag.host_wait != NONE]] = True
        begins[1:] |= leaves[: len(dag) - 1]
        return begins

    def ends(self, duration: IntColumn) -> IntColumn:
        """The end of each node if it takes this long and begins as soon as it may."""
        dag = self.dag
        cost = dag.delay + duration
        along = np.cumsum(np.where(self._follows, dag.chain_lag, 0) + cost)
        offered = dag.host_lag + cost - along  # without the end of the wait, if there is one
        edges = dag.edges
        by_edge = along[edges.source] + dag.edge_lag + cost[edges.target] - along[edges.target]
        reached = np.array(self._pieces(offered, along, by_edge), dtype=np.int64)
        waited = dag.host_wait != NONE
        wait = dag.host_wait[waited]
        offered[waited] += reached[self._piece[wait]] + along[wait]
        np.maximum.at(offered, edges.target, by_edge + reached[self._piece[edges.source]])
        starts = np.append(np.flatnonzero(~self._follows), len(dag)).tolist()
        for low, high in zip(starts, starts[1:]):
            np.maximum.accumulate(offered[low:high], out=offered[low:high])
        return np.asarray(offered + along, dtype=np.int64)

    def span_with(self, duration: IntColumn) -> int:
        """First begin to last end of GPU work when every node takes this long."""
        end = self.ends(duration)
        work = self.dag.is_work
        return int(end[work].max() - (end - duration)[work].min())

    def _pieces(self, offered: IntColumn, along: IntColumn, by_edge: IntColumn) -> Sequence[int]:
        """The running maximum at the last node of each piece."""
        best: list[int] = np.maximum.reduceat(offered, self._first).tolist()
        has_wait = self._wait != NONE
        wait_piece: list[int] = np.where(has_wait, self._piece[self._wait], NONE).tolist()
        wait_along: list[int] = np.where(has_wait, along[self._wait], 0).tolist()
        sources: list[int] = self._piece[self.dag.edges.source[self._edge_order]].tolist()
        offers: list[int] = by_edge[self._edge_order].tolist()
        reached = [LONG_AGO] * len(best)
        until, continues = self._edges_until, self._continues
        for piece in self._order:
            value = best[piece]
            waited = wait_piece[piece]
            if waited != NONE:
                value += reached[waited] + wait_along[piece]
            if continues[piece] and reached[piece - 1] > value:
                value = reached[piece - 1]
            for edge in range(until[piece - 1] if piece else 0, until[piece]):
                offer = offers[edge] + reached[sources[edge]]
                if offer > value:
                    value = offer
            reached[piece] = value
        return reached
