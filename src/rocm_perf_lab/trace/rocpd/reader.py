"""Reader of rocpd databases, the default output of rocprofv3 since ROCm 7.0."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.files.foreign import HOW_TO_RECORD
from rocm_perf_lab.trace.files.parts import Parts
from rocm_perf_lab.trace.model import (
    Allocations,
    ApiCalls,
    ArgumentReader,
    Copies,
    Counters,
    Markers,
    TimeBounds,
    Trace,
    no_arguments,
)
from rocm_perf_lab.trace.records import KnownRecords
from rocm_perf_lab.trace.rocpd.arguments import RocpdArguments
from rocm_perf_lab.trace.rocpd.bounds import has_bounds, read_bounds
from rocm_perf_lab.trace.rocpd.counters import has_counters, read_counters
from rocm_perf_lab.trace.rocpd.events import read_allocations, read_copies, read_dispatches
from rocm_perf_lab.trace.rocpd.host import HostCalls
from rocm_perf_lab.trace.rocpd.info import (
    read_agents,
    read_code_objects,
    read_kernels,
    read_process,
    read_queues,
    read_streams,
)
from rocm_perf_lab.trace.rocpd.layout import ProcessTables, processes_in
from rocm_perf_lab.trace.rocpd.links import EventLinks
from rocm_perf_lab.trace.rocpd.process import RocpdProcess
from rocm_perf_lab.trace.sqlite.columns import NumericReader, connect, explained


def read_rocpd(path: Path, parts: Parts = Parts.EVERYTHING) -> list[Trace]:
    """One Trace for each process that the database holds."""
    with explained(path), closing(connect(path)) as connection:
        processes = processes_in(connection)
        if not processes:
            raise RecordingError(
                f"{path} is a SQLite database, but it has no rocprofv3 recording in it",
                HOW_TO_RECORD,
            )
        numbers = NumericReader(path, connection)
        return [
            _read_process(RocpdProcess(path, connection, numbers, tables), parts)
            for tables in processes
        ]


def _read_process(recorded: RocpdProcess, parts: Parts) -> Trace:
    known = KnownRecords(
        read_agents(recorded),
        read_kernels(recorded),
        read_queues(recorded),
        read_streams(recorded),
        recorded.warnings,
    )
    links = EventLinks(recorded)
    counted = Parts.COUNTERS in parts and has_counters(recorded)
    bounded = has_bounds(recorded)
    events = counted or bounded
    rows = read_dispatches(recorded, known, links, events=events, stacks=Parts.LINKS in parts)
    api_calls, markers = ApiCalls(), Markers()
    if parts & (Parts.API_CALLS | Parts.MARKERS):
        host = HostCalls(recorded, links)
        api_calls = host.api_calls() if Parts.API_CALLS in parts else api_calls
        markers = host.markers() if Parts.MARKERS in parts else markers
    copies = read_copies(recorded, known, links) if Parts.COPIES in parts else Copies()
    allocations = read_allocations(recorded, known) if Parts.ALLOCATIONS in parts else Allocations()
    counters = read_counters(recorded, rows.event_id) if counted else Counters()
    bounds = read_bounds(recorded, rows.event_id) if bounded else TimeBounds()
    return Trace(
        source=str(recorded.path),
        processes=(read_process(recorded),),
        agents=tuple(known.agents),
        kernels=tuple(known.kernels),
        queues=tuple(known.queues),
        streams=tuple(known.streams),
        code_objects=read_code_objects(recorded, tuple(known.agents)),
        strings=recorded.strings.as_tuple(),
        dispatches=rows.dispatches,
        copies=copies,
        allocations=allocations,
        api_calls=api_calls,
        markers=markers,
        counters=counters,
        bounds=bounds,
        warnings=tuple(recorded.warnings),
        api_arguments=_arguments(recorded.path, recorded.tables, api_calls),
    )


def _arguments(path: Path, tables: ProcessTables, api_calls: ApiCalls) -> ArgumentReader:
    if not len(api_calls):
        return no_arguments
    return RocpdArguments(path, tables.get("rocpd_arg"), api_calls.event_id)
