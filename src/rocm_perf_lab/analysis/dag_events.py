"""Events: which record each wait means, and the streams that their handles name."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

import numpy as np

from rocm_perf_lab.analysis.dag import NONE, Cause, NodeKind
from rocm_perf_lab.analysis.dag_calls import DEFAULT_HANDLES, Calls, StreamHandles
from rocm_perf_lab.analysis.dag_edges import Piece, certain
from rocm_perf_lab.analysis.dag_nodes import Chains, Layout, Points


@dataclass(frozen=True)
class ChainLookup:
    """From a stream handle of an API call to chains; an unknown stream gets a chain of its own."""

    chains: Chains
    handles: StreamHandles
    made: dict[int, int] = field(default_factory=dict)
    of_stream: dict[int, list[int]] = field(default_factory=dict)

    def __call__(self, handle: int, time: int) -> list[int]:
        if handle in DEFAULT_HANDLES:
            return self.chains.defaults()
        stream = self.handles.stream(handle, time)
        if stream is not None:
            if stream not in self.of_stream:
                self.of_stream[stream] = self.chains.of_stream(stream)
            return self.of_stream[stream]
        if handle not in self.made:
            self.made[handle] = self.chains.add()
        return [self.made[handle]]


class Record(NamedTuple):
    row: int
    time: int
    stream: int  # handle


class EventRecords:
    """All records of events, found by event and time."""

    def __init__(self, calls: Calls) -> None:
        self._times: dict[int, list[int]] = {}
        self._records: dict[int, list[Record]] = {}
        self.all: list[Record] = []
        start = calls.trace.api_calls.start
        numbers = calls.numbers(calls.records, "event", "stream")
        for row, (event, stream) in zip(calls.records.tolist(), numbers):
            if event is None or stream is None:
                continue
            record = Record(row, int(start[row]), stream)
            self._times.setdefault(event, []).append(record.time)
            self._records.setdefault(event, []).append(record)
            self.all.append(record)

    def latest(self, event: int, time: int) -> Optional[Record]:
        """The record that a wait at this time means; None: it returns at once."""
        slot = bisect_right(self._times.get(event, []), time)
        return self._records[event][slot - 1] if slot else None


class EventWait(NamedTuple):
    chain: int
    row: int
    record_chain: int
    record_time: int


def event_waits(calls: Calls, records: EventRecords, chains: ChainLookup) -> list[EventWait]:
    """Pairs every hipStreamWaitEvent with the latest record of its event before it."""
    start = calls.trace.api_calls.start
    found = []
    numbers = calls.numbers(calls.event_waits, "event", "stream")
    for row, (event, stream) in zip(calls.event_waits.tolist(), numbers):
        if event is None or stream is None:
            continue
        time = int(start[row])
        record = records.latest(event, time)
        if record is None:
            continue
        for source in chains(record.stream, record.time):
            for chain in chains(stream, time):
                found.append(EventWait(chain, row, source, record.time))
    return found


def barriers(
    calls: Calls,
    waits: list[EventWait],
    records: EventRecords,
    chains: ChainLookup,
    *,
    default_stream_used: bool,
) -> Points:
    """A node in the stream for every event wait, and for records that the default stream orders.

    A record on the default stream comes after all blocking streams, and one on a blocking stream
    after the default stream, as if it were work.
    """
    keys = dict.fromkeys((wait.chain, wait.row) for wait in waits)
    if default_stream_used or any(record.stream in DEFAULT_HANDLES for record in records.all):
        keys.update(
            ((chain, record.row), None)
            for record in records.all
            for chain in chains(record.stream, record.time)
        )
    chain = np.array([chain for chain, _ in keys], dtype=np.int64)
    row = np.array([row for _, row in keys], dtype=np.int64)
    return Points(NodeKind.EVENT_WAIT, chain, row, calls.trace.api_calls.start[row])


def event_edges(layout: Layout, waits: list[EventWait]) -> Piece:
    """From the last work before a record to the barrier that waits for it."""
    barrier = np.flatnonzero(layout.kind == NodeKind.EVENT_WAIT)
    places = zip(layout.chain[barrier].tolist(), layout.row[barrier].tolist())
    node_of = dict(zip(places, barrier.tolist()))
    targets = np.array([node_of[wait.chain, wait.row] for wait in waits], dtype=np.int64)
    chains = np.array([wait.record_chain for wait in waits], dtype=np.int64)
    times = np.array([wait.record_time for wait in waits], dtype=np.int64)
    sources = np.full(len(targets), NONE, dtype=np.int64)
    for chain in np.unique(chains).tolist():
        chosen = chains == chain
        sources[chosen] = layout.last_before(chain, times[chosen])
    return certain(sources, targets, Cause.EVENT)
