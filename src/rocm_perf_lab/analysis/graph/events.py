"""Events: which record each wait means, and the streams that their handles name."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rocm_perf_lab.analysis.graph.calls import DEFAULT_HANDLES, Calls, StreamHandles
from rocm_perf_lab.analysis.graph.dag import NONE, Cause, NodeKind
from rocm_perf_lab.analysis.graph.edges import Piece, certain
from rocm_perf_lab.analysis.graph.nodes import Chains, Layout, Points
from rocm_perf_lab.trace.lookup import positions_of
from rocm_perf_lab.trace.model import IntColumn


@dataclass(frozen=True)
class ChainLookup:
    """From stream handles of API calls to chains; an unknown stream gets a chain of its own."""

    chains: Chains
    handles: StreamHandles
    made: dict[int, int] = field(default_factory=dict)

    def __call__(self, handles: IntColumn, times: IntColumn) -> tuple[IntColumn, IntColumn]:
        """Pairs of a position in ``handles`` and a chain: a stream may run on several devices."""
        order = np.argsort(handles, kind="stable")
        cuts = np.flatnonzero(np.diff(handles[order])) + 1
        places, chains = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for own in np.split(order, cuts) if len(order) else ():
            for part, number in self._of_one(int(handles[own[0]]), own, times[own]):
                places.append(part)
                chains.append(np.full(len(part), number, dtype=np.int64))
        place, chain = np.concatenate(places), np.concatenate(chains)
        in_order = np.argsort(place, kind="stable")
        return place[in_order], chain[in_order]

    def _of_one(
        self, handle: int, places: IntColumn, times: IntColumn
    ) -> list[tuple[IntColumn, int]]:
        if handle in DEFAULT_HANDLES:
            return [(places, chain) for chain in self.chains.defaults()]
        stream = self.handles.streams(handle, times)
        known = np.unique(stream[stream != NONE]).tolist()
        if not known:
            if handle not in self.made:
                self.made[handle] = self.chains.add()
            return [(places, self.made[handle])]
        return [(places[stream == s], chain) for s in known for chain in self.chains.of_stream(s)]


@dataclass(frozen=True)
class EventRecords:
    """All records of events, in order of time."""

    event: IntColumn
    row: IntColumn
    time: IntColumn
    stream: IntColumn  # handle

    def latest(self, event: IntColumn, time: IntColumn) -> IntColumn:
        """The record that each wait means, NONE: it returns at once."""
        count = len(self.event)
        events, times = np.concatenate([self.event, event]), np.concatenate([self.time, time])
        is_wait = np.arange(len(events)) >= count
        order = np.lexsort((is_wait, times, events))
        latest = np.maximum.accumulate(np.where(is_wait[order], NONE, np.arange(len(order))))
        found = np.where(latest == NONE, NONE, order[latest])
        found[events[found] != events[order]] = NONE
        result = np.empty(len(order), dtype=np.int64)
        result[order] = found
        return result[count:]


def event_records(calls: Calls) -> EventRecords:
    event, stream = calls.numbers(calls.records, "event", "stream")
    known = (event != NONE) & (stream != NONE)
    row = calls.records[known]
    return EventRecords(event[known], row, calls.trace.api_calls.start[row], stream[known])


@dataclass(frozen=True)
class EventWaits:
    """What every hipStreamWaitEvent waits for: a chain, up to a time."""

    chain: IntColumn
    row: IntColumn
    record_chain: IntColumn
    record_time: IntColumn
    silent: int  # calls without the arguments that say which


def event_waits(calls: Calls, records: EventRecords, chains: ChainLookup) -> EventWaits:
    """Pairs every hipStreamWaitEvent with the latest record of its event before it."""
    event, stream = calls.numbers(calls.event_waits, "event", "stream")
    time = calls.trace.api_calls.start[calls.event_waits]
    silent = (event == NONE) | (stream == NONE)
    record = np.where(silent, NONE, records.latest(event, time))
    meant = np.flatnonzero(record != NONE)
    record = record[meant]
    place, source = chains(records.stream[record], records.time[record])
    meant, record = meant[place], record[place]
    place, target = chains(stream[meant], time[meant])
    return EventWaits(
        target,
        calls.event_waits[meant[place]],
        source[place],
        records.time[record[place]],
        int(silent.sum()),
    )


def barriers(
    calls: Calls,
    waits: EventWaits,
    records: EventRecords,
    chains: ChainLookup,
    *,
    default_stream_used: bool,
) -> Points:
    """A node in the stream for every event wait, and for records that the default stream orders.

    A record on the default stream comes after all blocking streams, and one on a blocking stream
    after the default stream, as if it were work.
    """
    chain, row = waits.chain, waits.row
    if default_stream_used or np.isin(records.stream, DEFAULT_HANDLES).any():
        place, record_chain = chains(records.stream, records.time)
        chain = np.concatenate([chain, record_chain])
        row = np.concatenate([row, records.row[place]])
    width = int(row.max(initial=0)) + 1
    chain, row = np.divmod(np.unique(chain * width + row), width)
    return Points(NodeKind.EVENT_WAIT, chain, row, calls.trace.api_calls.start[row])


def event_edges(layout: Layout, waits: EventWaits) -> Piece:
    """From the last work before a record to the barrier that waits for it."""
    barrier = np.flatnonzero(layout.kind == NodeKind.EVENT_WAIT)
    width = int(layout.row[barrier].max(initial=0)) + 1
    places = layout.chain[barrier] * width + layout.row[barrier]
    targets = barrier[positions_of(waits.chain * width + waits.row, places)]
    sources = np.full(len(targets), NONE, dtype=np.int64)
    for chain in np.unique(waits.record_chain).tolist():
        chosen = waits.record_chain == chain
        sources[chosen] = layout.last_before(chain, waits.record_time[chosen])
    return certain(sources, targets, Cause.EVENT)
