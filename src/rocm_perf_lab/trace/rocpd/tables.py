"""Fills the rocpd tables of one process from its ``Trace``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, repeat
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.trace.counter_info import CounterInfo, with_undescribed
from rocm_perf_lab.trace.lookup import distinct
from rocm_perf_lab.trace.model import UNKNOWN, IndexColumn, IntColumn, Trace
from rocm_perf_lab.trace.rocpd.bounds import BOUNDS_TAG, bound_note
from rocm_perf_lab.trace.rocpd.schema import (
    SCHEMA_VERSION,
    SCHEMA_VERSION_WITH_GRAPHS,
    physical,
    table_statements,
)

_NODE_ID = 1
_NO_REGION = ""  # the region name of a kernel that was launched outside of any ROCTx range
_DISPATCH, _COPY, _ALLOCATION = "KERNEL_DISPATCH", "MEMORY_COPY", "MEMORY_ALLOCATION"
_MARKER, _MARKER_NAME = "MARKER_CORE_RANGE_API", "roctxThreadRangeA"
_ROWS_PER_BATCH = 50_000

# One value for all rows, a value for each row, or numbers of which UNKNOWN becomes NULL.
Column = Union[int, str, None, Sequence[Any], npt.NDArray[Any]]


class ProcessTablesWriter:
    """The tables of one process. Indexes of the Trace become the ids that they stand for."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        trace: Trace,
        guid: str,
        counters: Sequence[CounterInfo] = (),
    ) -> None:
        self._connection = connection
        self._trace = trace
        self._guid = guid
        self._counter_infos = counters
        self._pid = trace.processes[0].pid
        self._next_event = 1
        self._string_ids: dict[str, int] = {}
        self._agent_ids = _ids(agent.id for agent in trace.agents)
        self._queue_ids = _ids(queue.id for queue in trace.queues)
        self._stream_ids = _ids(stream.id for stream in trace.streams)
        self._kernel_ids = _ids(_distinct(kernel.id for kernel in trace.kernels))

    def write(self) -> None:
        graphs = bool((self._trace.dispatches.graph_exec != UNKNOWN).any())
        for statement in table_statements(self._guid, graphs=graphs):
            self._connection.execute(statement)
        self._write_metadata(graphs)
        self._write_records()
        self._write_calls()
        self._write_markers()
        dispatch_events = self._write_dispatches(graphs)
        self._write_counters(dispatch_events)
        self._write_copies()
        self._write_allocations()
        self._insert(
            "rocpd_string", id=list(self._string_ids.values()), string=list(self._string_ids)
        )

    def _write_metadata(self, graphs: bool) -> None:
        process = self._trace.processes[0]
        version = SCHEMA_VERSION_WITH_GRAPHS if graphs else SCHEMA_VERSION
        suffix = physical("", self._guid)
        self._insert(
            "rocpd_metadata",
            tag=["schema_version", "uuid", "guid"],
            value=[version, suffix, self._guid],
        )
        if len(self._trace.bounds):
            self._insert("rocpd_metadata", tag=[BOUNDS_TAG], value=str(len(self._trace.bounds)))
        self._insert(
            "rocpd_info_node",
            id=[_NODE_ID],
            hash=_NODE_ID,
            machine_id=process.hostname or "",
            hostname=process.hostname,
        )
        self._insert(
            "rocpd_info_process",
            id=[self._pid],
            nid=_NODE_ID,
            pid=self._pid,
            command=process.command,
        )
        tables = (self._trace.dispatches, self._trace.copies, self._trace.api_calls)
        threads = distinct(np.concatenate([table.thread for table in tables]))
        threads = threads[threads != UNKNOWN]
        self._insert("rocpd_info_thread", id=threads, nid=_NODE_ID, pid=self._pid, tid=threads)

    def _write_records(self) -> None:
        trace, owner = self._trace, {"nid": _NODE_ID, "pid": self._pid}
        self._insert(
            "rocpd_info_agent",
            **owner,
            id=self._agent_ids[:-1],
            type=[agent.kind for agent in trace.agents],
            absolute_index=self._agent_ids[:-1],
            logical_index=list(range(len(trace.agents))),
            type_index=[agent.type_index for agent in trace.agents],
            name=[agent.name for agent in trace.agents],
            product_name=[agent.product for agent in trace.agents],
            extdata=[json.dumps(dict(agent.facts)) for agent in trace.agents],
        )
        self._insert(
            "rocpd_info_queue",
            **owner,
            id=self._queue_ids[:-1],
            name=[queue.name for queue in trace.queues],
        )
        self._insert(
            "rocpd_info_stream",
            **owner,
            id=self._stream_ids[:-1],
            name=[stream.name for stream in trace.streams],
        )
        self._insert(
            "rocpd_info_code_object",
            **owner,
            id=[item.id for item in trace.code_objects],
            agent_id=self._agent_ids[[item.agent for item in trace.code_objects]],
            uri=[item.uri for item in trace.code_objects],
            load_base=[item.load_base for item in trace.code_objects],
            load_size=[item.load_size for item in trace.code_objects],
        )
        kernels = trace.kernels
        self._insert(
            "rocpd_info_kernel_symbol",
            **owner,
            id=self._kernel_ids[:-1],
            code_object_id=[kernel.code_object for kernel in kernels],
            kernel_name=[kernel.symbol for kernel in kernels],
            display_name=[kernel.name for kernel in kernels],
            kernarg_segment_size=[kernel.kernarg_size for kernel in kernels],
            group_segment_size=[kernel.static_lds for kernel in kernels],
            private_segment_size=[kernel.static_scratch for kernel in kernels],
            sgpr_count=[kernel.sgpr for kernel in kernels],
            arch_vgpr_count=[kernel.arch_vgpr for kernel in kernels],
            accum_vgpr_count=[kernel.accum_vgpr for kernel in kernels],
        )

    def _write_calls(self) -> None:
        calls = self._trace.api_calls
        category = self._text_ids(calls.category)
        events = self._add_events(category, calls.stack_id, calls.parent_stack_id)
        self._add_regions(calls.start, calls.end, calls.thread, self._text_ids(calls.name), events)
        arguments = [
            (event, position, *argument)
            for row, event in enumerate(events.tolist())
            for position, argument in enumerate(self._trace.api_arguments(row))
        ]
        names = ("event_id", "position", "name", "type", "value")
        self._insert("rocpd_arg", **dict(zip(names, zip(*arguments) if arguments else repeat(()))))

    def _write_markers(self) -> None:
        markers = self._trace.markers
        texts = [self._trace.strings[index] for index in markers.message]
        events = self._add_events(
            self._string_id(_MARKER),
            np.full(len(markers), UNKNOWN),
            np.full(len(markers), UNKNOWN),
            extdata=[json.dumps({"message": text}) for text in texts],
        )
        name = self._string_id(_MARKER_NAME)
        self._add_regions(markers.start, markers.end, markers.thread, name, events)

    def _write_dispatches(self, graphs: bool) -> IntColumn:
        rows = self._trace.dispatches
        category = self._string_id(_DISPATCH)
        events = self._add_events(category, rows.stack_id, rows.stack_id, self._notes())
        sizes = {
            f"{name}_size_{axis}": column[:, position]
            for name, column in (("workgroup", rows.block), ("grid", rows.grid))
            for position, axis in enumerate("xyz")
        }
        self._insert(
            "rocpd_kernel_dispatch",
            id=_row_ids(rows.dispatch_id),
            nid=_NODE_ID,
            pid=self._pid,
            tid=rows.thread,
            agent_id=self._agent_ids[rows.agent],
            kernel_id=self._kernel_ids[rows.kernel],
            dispatch_id=rows.dispatch_id,
            queue_id=self._queue_ids[rows.queue],
            stream_id=self._stream_ids[rows.stream],
            start=rows.start,
            end=rows.end,
            private_segment_size=rows.scratch,
            group_segment_size=rows.lds,
            region_name_id=self._string_id(_NO_REGION),
            event_id=events,
            **sizes,
            **({"graph_exec_id": rows.graph_exec} if graphs else {}),
        )
        return events

    def _notes(self) -> Column:
        """What is said of each dispatch beyond what rocprofv3 does; readers pass it by."""
        bounds = self._trace.bounds
        if not len(bounds):
            return "{}"
        notes = ["{}"] * len(self._trace.dispatches)
        for row, name, simulated in zip(bounds.dispatch, bounds.name, bounds.simulated):
            notes[row] = bound_note(self._trace.strings[name], int(simulated))
        return notes

    def _write_counters(self, dispatch_events: IntColumn) -> None:
        counters = self._trace.counters
        used = {int(index): self._trace.strings[index] for index in distinct(counters.name)}
        number_of = self._write_counter_infos(used.values())
        pmc_ids = np.zeros(len(self._trace.strings) + 1, dtype=np.int64)
        for index, name in used.items():
            pmc_ids[index] = number_of[name]
        self._insert(
            "rocpd_pmc_event",
            event_id=dispatch_events[counters.dispatch],
            pmc_id=pmc_ids[counters.name],
            value=counters.value.tolist(),
        )

    def _write_counter_infos(self, used: Iterable[str]) -> dict[str, int]:
        """The ids of counters by name."""
        infos = with_undescribed(self._counter_infos, used)
        names = [info.name for info in infos]
        ids = list(range(1, len(infos) + 1))
        gpus = self._trace.gpu_agents
        self._insert(
            "rocpd_info_pmc",
            id=ids,
            nid=_NODE_ID,
            pid=self._pid,
            agent_id=gpus[0].id if gpus else None,
            target_arch="GPU",
            name=names,
            symbol=names,
            description=[info.description for info in infos],
            component="rocm",
            value_type="ABS",
            block=[info.block for info in infos],
            expression=[info.expression for info in infos],
            is_constant=[int(info.is_constant) for info in infos],
            is_derived=[int(info.is_derived) for info in infos],
        )
        return dict(zip(names, ids))

    def _write_copies(self) -> None:
        rows = self._trace.copies
        events = self._add_events(self._string_id(_COPY), rows.stack_id, rows.stack_id)
        self._insert(
            "rocpd_memory_copy",
            nid=_NODE_ID,
            pid=self._pid,
            tid=rows.thread,
            start=rows.start,
            end=rows.end,
            name_id=self._text_ids(rows.direction),
            dst_agent_id=self._agent_ids[rows.target_agent],
            src_agent_id=self._agent_ids[rows.source_agent],
            size=rows.bytes,
            stream_id=self._stream_ids[rows.stream],
            event_id=events,
        )

    def _write_allocations(self) -> None:
        rows = self._trace.allocations
        nothing = np.full(len(rows), UNKNOWN)
        events = self._add_events(self._string_id(_ALLOCATION), nothing, nothing)
        self._insert(
            "rocpd_memory_allocate",
            nid=_NODE_ID,
            pid=self._pid,
            agent_id=self._agent_ids[rows.agent],
            type=[self._trace.strings[index] for index in rows.operation],
            level=[self._trace.strings[index] for index in rows.level],
            start=rows.start,
            end=rows.end,
            address=rows.address,
            size=rows.bytes,
            event_id=events,
        )

    def _add_regions(
        self, start: IntColumn, end: IntColumn, thread: IntColumn, name: Column, events: IntColumn
    ) -> None:
        self._insert(
            "rocpd_region",
            nid=_NODE_ID,
            pid=self._pid,
            tid=thread,
            start=start,
            end=end,
            name_id=name,
            event_id=events,
        )

    def _add_events(
        self,
        category: Column,
        stack: npt.NDArray[np.int64],
        parent: npt.NDArray[np.int64],
        extdata: Column = "{}",
    ) -> IntColumn:
        events = np.arange(self._next_event, self._next_event + len(stack), dtype=np.int64)
        self._next_event += len(stack)
        self._insert(
            "rocpd_event",
            id=events,
            category_id=category,
            stack_id=stack,
            parent_stack_id=parent,
            correlation_id=0,
            extdata=extdata,
        )
        return events

    def _string_id(self, text: str) -> int:
        return self._string_ids.setdefault(text, len(self._string_ids) + 1)

    def _text_ids(self, indexes: IndexColumn) -> IntColumn:
        used = distinct(indexes)
        ids = np.zeros(len(self._trace.strings) + 1, dtype=np.int64)
        for index in used:
            ids[index] = self._string_id(self._trace.strings[index])
        return np.asarray(ids[indexes], dtype=np.int64)

    def _insert(self, table: str, **columns: Column) -> None:
        """Insert rows given as columns; a single value stands for all rows."""
        rows = next(len(c) for c in columns.values() if not isinstance(c, (int, str, type(None))))
        names = ", ".join(f'"{name}"' for name in columns)
        marks = ", ".join("?" * len(columns))
        statement = f'INSERT INTO "{physical(table, self._guid)}" ({names}) VALUES ({marks})'
        for start in range(0, rows, _ROWS_PER_BATCH):
            batch = slice(start, min(start + _ROWS_PER_BATCH, rows))
            values = [_sql_values(column, batch) for column in columns.values()]
            self._connection.executemany(statement, zip(*values))


def _sql_values(column: Column, batch: slice) -> Iterable[Any]:
    if isinstance(column, (int, str, type(None))):
        return repeat(column, batch.stop - batch.start)
    if isinstance(column, np.ndarray):
        part = column[batch]
        values: list[Any] = part.tolist()
        if (part == UNKNOWN).any():
            return [None if value == UNKNOWN else value for value in values]
        return values
    return column[batch]


def _ids(ids: Iterable[int]) -> IntColumn:
    """Ids by index; the last element is what the index ``UNKNOWN`` finds."""
    return np.array([*ids, UNKNOWN], dtype=np.int64)


def _distinct(ids: Iterable[int]) -> Iterator[int]:
    """Ids that may serve as keys: one that is unknown or repeated gets a new number."""
    wanted = list(ids)
    fresh = count(max(wanted, default=0) + 1)
    seen: set[int] = set()
    for row_id in wanted:
        chosen = row_id if row_id >= 0 and row_id not in seen else next(fresh)
        seen.add(chosen)
        yield chosen


def _row_ids(dispatch_ids: IntColumn) -> IntColumn:
    """rocprofv3 uses the dispatch id; where that would change the order, rows are counted."""
    ascending = len(dispatch_ids) == 0 or (
        dispatch_ids[0] >= 0 and bool((np.diff(dispatch_ids) > 0).all())
    )
    return dispatch_ids if ascending else np.arange(1, len(dispatch_ids) + 1)
