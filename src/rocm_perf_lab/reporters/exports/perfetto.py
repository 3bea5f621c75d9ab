"""A run as a Perfetto trace: streams, host calls, counters, and the critical path as a flow.

Slices of one track must nest. Work of a stream that overlaps gets a further track of that stream;
calls of a host thread nest as they were made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

import numpy as np

from rocm_perf_lab.analysis.graph.dag import NodeKind
from rocm_perf_lab.analysis.path.run_path import RunPath
from rocm_perf_lab.errors import NothingRecorded
from rocm_perf_lab.report.contents import Measured, Report
from rocm_perf_lab.trace.files.beside import written_beside
from rocm_perf_lab.trace.model import UNKNOWN, Trace

_SEQUENCE = 1
_PATH = "on the critical path"
_HOW = "rocm-perf report -o run.pftrace -- ./app, or --from with the recordings"


@dataclass(frozen=True)
class Slice:
    begin: int
    end: int
    name: str
    flows: tuple[int, ...] = ()  # ids that it shares with the slices before and after it
    facts: tuple[tuple[str, int], ...] = ()


@dataclass
class _File:
    """Packets in the order of writing; names are written once."""

    builder: Any
    tracks: int = 0
    names: dict[str, int] = field(default_factory=dict)

    def packet(self) -> Any:
        packet = self.builder.create_packet()
        packet.trusted_packet_sequence_id = _SEQUENCE
        return packet

    def track(self, name: str, parent: int = 0, pid: Optional[int] = None) -> int:
        self.tracks += 1
        packet = self.packet()
        if self.tracks == 1:
            packet.sequence_flags = packet.SEQ_INCREMENTAL_STATE_CLEARED
        descriptor = packet.track_descriptor
        descriptor.uuid = self.tracks
        if pid is not None:
            descriptor.process.pid = pid
            descriptor.process.process_name = name
        else:
            descriptor.name, descriptor.parent_uuid = name, parent
        self.builder.write_packet(packet)
        return self.tracks

    def counter_track(self, name: str, parent: int) -> int:
        self.tracks += 1
        packet = self.packet()
        packet.track_descriptor.uuid = self.tracks
        packet.track_descriptor.parent_uuid = parent
        packet.track_descriptor.name = name
        packet.track_descriptor.counter.SetInParent()
        self.builder.write_packet(packet)
        return self.tracks

    def event(self, track: int, time: int, kind: str) -> Any:
        packet = self.packet()
        packet.timestamp = time
        packet.sequence_flags = packet.SEQ_NEEDS_INCREMENTAL_STATE
        event = packet.track_event
        event.type, event.track_uuid = getattr(event, f"TYPE_{kind}"), track
        return packet

    def begin(self, track: int, one: Slice) -> None:
        packet = self.event(track, one.begin, "SLICE_BEGIN")
        number = self.names.get(one.name)
        if number is None:
            number = self.names[one.name] = len(self.names) + 1
            entry = packet.interned_data.event_names.add()
            entry.iid, entry.name = number, one.name
        packet.track_event.name_iid = number
        packet.track_event.flow_ids.extend(one.flows)
        for name, value in one.facts:
            note = packet.track_event.debug_annotations.add()
            note.name, note.int_value = name, value
        self.builder.write_packet(packet)

    def end(self, track: int, time: int) -> None:
        self.builder.write_packet(self.event(track, time, "SLICE_END"))

    def count(self, track: int, time: int, value: float) -> None:
        packet = self.event(track, time, "COUNTER")
        packet.track_event.double_counter_value = value
        self.builder.write_packet(packet)


def write_perfetto(report: Report, path: Path) -> None:
    measured = next((one for one in report.measured if one.runs), None)
    if measured is None:
        raise NothingRecorded("there are no start and end times to draw", _HOW)
    from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder

    with written_beside(path) as beside, beside.open("wb") as stream:
        _write(_File(StreamingTraceProtoBuilder(stream)), measured)


def _write(file: _File, measured: Measured) -> None:
    run = measured.path.run if measured.path else measured.profile.timing.run
    trace = measured.runs[run]
    virtual = " (virtual)" if measured.is_virtual else ""
    flows = _flows(measured.path)
    for number, process in enumerate(trace.processes):
        pid = process.pid if process.pid > 0 else number + 1
        parent = file.track(f"{process.command or measured.title}{virtual}", pid=pid)
        for name, slices in _gpu_tracks(trace, number, flows).items():
            for lane, own in enumerate(_lanes(slices)):
                title = name if lane == 0 else f"{name} ({lane + 1})"
                _write_nested(file, file.track(f"{title}{virtual}", parent), own)
        for name, calls in _host_tracks(trace, number).items():
            _write_nested(file, file.track(name, parent), calls)
        _write_running(file, file.counter_track(f"kernels running{virtual}", parent), trace, number)
        _write_counters(file, parent, trace, number, virtual)


def _flows(found: Optional[RunPath]) -> dict[tuple[int, int], tuple[int, ...]]:
    """(kind, row) of work on the path: the flows that enter and leave it."""
    if found is None:
        return {}
    dag = found.path.dag
    nodes = found.path.nodes[dag.is_work[found.path.nodes]]
    last = len(nodes) - 1
    return {
        (int(kind), int(row)): tuple(
            flow for flow, there in ((place, place > 0), (place + 1, place < last)) if there
        )
        for place, (kind, row) in enumerate(zip(dag.kind[nodes], dag.row[nodes]))
    }


def _gpu_tracks(
    trace: Trace, process: int, flows: dict[tuple[int, int], tuple[int, ...]]
) -> dict[str, list[Slice]]:
    tracks: dict[str, list[Slice]] = {}
    table = trace.dispatches
    for row in np.flatnonzero(table.process == process).tolist():
        name = _track_name(trace, int(table.agent[row]), int(table.stream[row]))
        tracks.setdefault(name, []).append(
            _slice(
                int(table.start[row]),
                int(table.end[row]),
                trace.kernels[int(table.kernel[row])].name,
                flows.get((NodeKind.DISPATCH, row)),
                (("dispatch", int(table.dispatch_id[row])),),
            )
        )
    copies = trace.copies
    for row in np.flatnonzero(copies.process == process).tolist():
        name = _track_name(trace, _gpu_of_copy(trace, row), int(copies.stream[row]))
        tracks.setdefault(f"{name}, copies", []).append(
            _slice(
                int(copies.start[row]),
                int(copies.end[row]),
                trace.strings[int(copies.direction[row])],
                flows.get((NodeKind.COPY, row)),
                (("bytes", int(copies.bytes[row])),),
            )
        )
    return dict(sorted(tracks.items()))


def _gpu_of_copy(trace: Trace, row: int) -> int:
    ends = (int(trace.copies.target_agent[row]), int(trace.copies.source_agent[row]))
    gpus = [end for end in ends if end != UNKNOWN and trace.agents[end].kind == "GPU"]
    return gpus[0] if gpus else UNKNOWN


def _slice(
    begin: int,
    end: int,
    name: str,
    flows: Optional[tuple[int, ...]],
    facts: tuple[tuple[str, int], ...],
) -> Slice:
    on_path = () if flows is None else ((_PATH, 1),)
    return Slice(begin, end, name, flows or (), (*facts, *on_path))


def _track_name(trace: Trace, agent: int, stream: int) -> str:
    gpu = (
        "" if agent == UNKNOWN else f"{trace.agents[agent].kind} {trace.agents[agent].type_index} "
    )
    return f"{gpu}queue" if stream == UNKNOWN else f"{gpu}stream {trace.streams[stream].id}"


def _lanes(slices: list[Slice]) -> list[list[Slice]]:
    """As few tracks as overlap needs."""
    lanes: list[list[Slice]] = []
    for one in sorted(slices, key=lambda one: (one.begin, one.end)):
        free = next((lane for lane in lanes if lane[-1].end <= one.begin), None)
        if free is None:
            lanes.append([one])
        else:
            free.append(one)
    return lanes


def _host_tracks(trace: Trace, process: int) -> dict[str, list[Slice]]:
    tracks: dict[str, list[Slice]] = {}
    calls = trace.api_calls
    for row in np.flatnonzero(calls.process == process).tolist():
        name = f"host thread {int(calls.thread[row])}"
        one = Slice(int(calls.start[row]), int(calls.end[row]), trace.strings[int(calls.name[row])])
        tracks.setdefault(name, []).append(one)
    return dict(sorted(tracks.items()))


def _write_nested(file: _File, track: int, slices: Iterable[Slice]) -> None:
    """What ends after the call around it is cut there: a thread does one thing at a time."""
    open_ends: list[int] = []
    for one in sorted(slices, key=lambda one: (one.begin, -one.end)):
        while open_ends and open_ends[-1] <= one.begin:
            file.end(track, open_ends.pop())
        file.begin(track, one)
        open_ends.append(min([one.end, *open_ends[-1:]]))
    while open_ends:
        file.end(track, open_ends.pop())


def _write_running(file: _File, track: int, trace: Trace, process: int) -> None:
    """How many kernels run at a time; equal times are one step."""
    own = trace.dispatches.process == process
    times = np.concatenate([trace.dispatches.start[own], trace.dispatches.end[own]])
    steps = np.repeat([1, -1], int(own.sum()))
    moments, place = np.unique(times, return_inverse=True)
    running = np.cumsum(np.bincount(place, weights=steps, minlength=len(moments)))
    for time, value in zip(moments.tolist(), running.tolist()):
        file.count(track, time, value)


def _write_counters(file: _File, parent: int, trace: Trace, process: int, virtual: str) -> None:
    """Hardware counters of this run, at the start of the dispatch that they were counted for."""
    table, counters = trace.dispatches, trace.counters
    own = np.flatnonzero((table.process == process)[counters.dispatch])
    for name in np.unique(counters.name[own]).tolist():
        track = file.counter_track(f"{trace.strings[name]}{virtual}", parent)
        rows = own[counters.name[own] == name]
        for row in rows[np.argsort(table.start[counters.dispatch[rows]], kind="stable")].tolist():
            at = int(table.start[counters.dispatch[row]])
            file.count(track, at, float(counters.value[row]))
