"""From a ``Trace`` to the dependency graph of one of its processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.analysis.graph import calls as dag_calls
from rocm_perf_lab.analysis.graph.calls import Calls
from rocm_perf_lab.analysis.graph.dag import NONE, Dag, NodeKind
from rocm_perf_lab.analysis.graph.edges import (
    HostWaits,
    Piece,
    chosen_devices,
    default_stream_edges,
    edges_of_silent_waits,
    guessed_edges,
    inferred_edges,
    joined,
)
from rocm_perf_lab.analysis.graph.events import (
    ChainLookup,
    barriers,
    event_edges,
    event_records,
    event_waits,
)
from rocm_perf_lab.analysis.graph.nodes import (
    Layout,
    Points,
    Work,
    chains_of,
    lay_out,
    work_of,
)
from rocm_perf_lab.analysis.graph.times import Placed, timed
from rocm_perf_lab.trace.model import UNKNOWN, IntColumn, Trace


def build_dag(trace: Trace, process: int = 0) -> Optional[Dag]:
    """The graph of one process, None when no work of it was recorded on a GPU."""
    work = work_of(trace, process)
    if not len(work.row):
        return None
    return _Builder(trace, process, work).build()


@dataclass(frozen=True)
class _Scope:
    """Calls that wait for what had been submitted to a chain at these times."""

    chain: int
    rows: IntColumn
    times: IntColumn


class _Builder:
    def __init__(self, trace: Trace, process: int, work: Work) -> None:
        self._trace = trace
        self._process = process
        self._work = work
        self._calls: Calls = dag_calls.calls_of(trace, process)
        self._launch = dag_calls.launching_calls(self._calls, work.stack_id)
        self._unlaunched = self._count_unlaunched()
        self._chains, self._chain = chains_of(trace, work)
        self._default_stream_used = bool(self._chains.defaults())
        self._add_unused_default_stream()
        handles = dag_calls.stream_handles(self._calls, work.stream, self._launch)
        self._lookup = ChainLookup(self._chains, handles)
        self._records = event_records(self._calls)
        self._silent_calls = len(self._calls.records) - len(self._records.row)
        skipped = dag_calls.non_blocking_streams(self._calls)
        self._non_blocking = {
            chain
            for chain, stream in enumerate(self._chains.stream)
            if stream != NONE and trace.streams[stream].id in skipped
        }

    def build(self) -> Dag:
        waits = event_waits(self._calls, self._records, self._lookup)
        self._silent_calls += waits.silent
        scopes = self._scopes()  # may add chains, so before the layout
        events = barriers(
            self._calls,
            waits,
            self._records,
            self._lookup,
            default_stream_used=self._default_stream_used,
        )
        layout = self._laid_out(events)
        end = self._column(layout, self._trace.api_calls.end[self._calls.waits], self._work.end)
        begin = self._column(
            layout, self._trace.api_calls.start[self._calls.waits], self._work.begin
        )
        launch = self._column(
            layout, np.full(len(self._calls.waits), NONE, dtype=np.int64), self._launch
        )
        host = HostWaits(self._calls, layout, begin, end)
        pieces: list[Piece] = [event_edges(layout, waits)]
        pieces += self._default_stream(layout)
        pieces += [host.edges(scope.rows, scope.chain, scope.times) for scope in scopes]
        work = layout.kind <= NodeKind.COPY
        if len(self._silent_waits):
            pieces.append(host.guesses(self._silent_waits, work))
        if self._unlaunched:
            pieces.append(guessed_edges(layout, begin, end, work))
        elif waits.silent:
            pieces.append(edges_of_silent_waits(layout, begin, end, work))
        elif not len(self._calls.rows):
            pieces.append(inferred_edges(layout, begin, end, work))
        placed = Placed(
            self._calls,
            layout,
            begin,
            end,
            launch,
            self._host_wait(layout, launch),
            joined(pieces, layout.rank),
            order_is_guessed=self._chains.inferred,
            silent_calls=self._silent_calls,
            unlaunched=self._unlaunched,
        )
        return timed(self._trace, self._process, placed)

    def _count_unlaunched(self) -> int:
        """Work whose launching call is missing, where no call is there that waits for anything.

        Such a recording of calls was cut down: when the host did what is not known from it.
        """
        if not len(self._calls.rows) or len(self._calls.waits):
            return 0
        return int(np.count_nonzero(self._launch == NONE))

    def _launched_before_recording(self) -> npt.NDArray[np.bool_]:
        """Work of calls with smaller numbers than any that was recorded: numbers only grow."""
        numbers = self._trace.api_calls.stack_id[self._calls.rows]
        numbers = numbers[numbers != UNKNOWN]
        if not len(numbers):
            return np.zeros(len(self._launch), dtype=bool)
        early = (self._work.stack_id != UNKNOWN) & (self._work.stack_id < int(numbers.min()))
        return np.asarray(early & (self._launch == NONE), dtype=bool)

    def _add_unused_default_stream(self) -> None:
        """Events can be recorded on a default stream that runs no work of its own."""
        agents = set(self._chains.agent)
        if not self._chains.defaults() and not self._chains.inferred and len(agents) == 1:
            self._chains.add(agents.pop(), is_default=True)

    def _threads(self) -> IntColumn:
        """Threads of the host that waited, in ascending order: each is a chain."""
        return np.unique(self._trace.api_calls.thread[self._calls.waits])

    def _laid_out(self, events: Points) -> Layout:
        api = self._trace.api_calls
        rows = self._calls.waits
        threads = self._threads()
        thread_chain = np.searchsorted(threads, api.thread[rows]) + len(self._chains)
        host = Points(NodeKind.HOST_WAIT, thread_chain, rows, api.end[rows])
        graph = self._calls.is_named(self._launch[self._launch != NONE], (dag_calls.GRAPH_LAUNCH,))
        submitted = self._launch != NONE
        key = self._work.begin.copy()
        key[submitted] = api.start[self._launch[submitted]]
        early = self._launched_before_recording()
        if early.any():
            key[early] = np.minimum(key[early], int(api.start[self._calls.rows].min()) - 1)
        return lay_out(
            self._work,
            self._chain,
            key,
            host,
            events,
            len(self._chains) + len(threads),
            by_begin=bool(graph.any() or early.any()),
        )

    def _column(self, layout: Layout, of_waits: IntColumn, of_work: IntColumn) -> IntColumn:
        """A column in the order of the layout; barriers have no value of their own."""
        padding = len(layout.source) - len(of_waits) - len(of_work)
        nothing = np.full(padding, NONE, dtype=np.int64)
        return np.concatenate([of_waits, of_work, nothing])[layout.source]

    def _host_wait(self, layout: Layout, launch: IntColumn) -> IntColumn:
        """For each piece of work, the last wait of its thread before it was submitted."""
        result = np.full(len(launch), NONE, dtype=np.int64)
        threads = self._threads()
        if not len(threads):
            return result
        node = np.flatnonzero(launch != NONE)
        thread = self._trace.api_calls.thread[launch[node]]
        for index, number in enumerate(threads.tolist()):
            own = node[thread == number]
            result[own] = layout.last_before(len(self._chains) + index, layout.key[own])
        return result

    def _blocking(self, agent: int) -> list[int]:
        return [
            chain
            for chain, device in enumerate(self._chains.agent)
            if device == agent
            and not self._chains.is_default[chain]
            and chain not in self._non_blocking
        ]

    def _default_stream(self, layout: Layout) -> list[Piece]:
        if not len(self._calls.rows):
            return []  # whether streams are blocking is not known
        return [
            piece
            for null in self._chains.defaults()
            for piece in default_stream_edges(
                layout, null, self._blocking(self._chains.agent[null])
            )
        ]

    def _scopes(self) -> list[_Scope]:
        calls, api = self._calls, self._trace.api_calls
        rows = calls.waits
        copies = calls.is_named(rows, dag_calls.BLOCKING_COPIES)
        device_wide = calls.is_named(rows, dag_calls.DEVICE_WAITS)
        scopes = self._device_scopes(
            rows[device_wide], api.start[rows[device_wide]], everything=True
        )
        scopes += self._device_scopes(rows[copies], api.end[rows[copies]] - 1, everything=False)
        on_default, named = self._named_scopes(rows[~copies & ~device_wide])
        scopes += self._device_scopes(on_default, api.start[on_default], everything=False)
        return scopes + named

    def _device_scopes(
        self, rows: IntColumn, times: IntColumn, *, everything: bool
    ) -> list[_Scope]:
        """Waits for a device, or for its default stream, which comes after blocking streams."""
        if not len(rows):
            return []
        agents = set(self._chains.agent) - {NONE}
        device = chosen_devices(self._calls, rows) if len(agents) > 1 else None
        scopes = []
        for chain, agent in enumerate(self._chains.agent):
            if agent == NONE or (not everything and chain in self._non_blocking):
                continue
            chosen = slice(None) if device is None else device == agent
            scopes.append(_Scope(chain, rows[chosen], times[chosen]))
        return scopes

    def _named_scopes(self, rows: IntColumn) -> tuple[IntColumn, list[_Scope]]:
        """Waits for a stream or an event: those for the default stream, and the others."""
        times = self._trace.api_calls.start[rows]
        stream, event = self._calls.numbers(rows, "stream", "event")
        on_default = (event == NONE) & np.isin(stream, dag_calls.DEFAULT_HANDLES)
        self._silent_waits = rows[(event == NONE) & (stream == NONE)]
        self._silent_calls += len(self._silent_waits)
        record = np.where(event == NONE, NONE, self._records.latest(event, times))
        by_event = record != NONE
        times[by_event] = self._records.time[record[by_event]]
        stream[by_event] = self._records.stream[record[by_event]]
        meant = np.flatnonzero(np.where(event == NONE, (stream != NONE) & ~on_default, by_event))
        place, chain = self._lookup(stream[meant], times[meant])
        waits = meant[place]
        scopes = [
            _Scope(number, rows[waits[chain == number]], times[waits[chain == number]])
            for number in np.unique(chain).tolist()
        ]
        return rows[on_default], scopes
