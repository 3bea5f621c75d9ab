"""What the GPU did: dispatches, copies and allocations of one process of a rocpd database."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from rocm_perf_lab.trace.model import (
    UNKNOWN,
    Allocations,
    Copies,
    Dispatches,
    IntColumn,
)
from rocm_perf_lab.trace.records import KnownRecords
from rocm_perf_lab.trace.rocpd.links import EventLinks
from rocm_perf_lab.trace.rocpd.process import RocpdProcess
from rocm_perf_lab.trace.vocabulary import NAME_NOT_RECORDED

_DISPATCH_TABLE = "rocpd_kernel_dispatch"
_GRID = ("grid_size_x", "grid_size_y", "grid_size_z")
_BLOCK = ("workgroup_size_x", "workgroup_size_y", "workgroup_size_z")
_DISPATCH_COLUMNS = (
    *_GRID,
    *_BLOCK,
    "group_segment_size",
    "private_segment_size",
    "agent_id",
    "kernel_id",
    "dispatch_id",
    "queue_id",
    "stream_id",
)
_GRAPH_COLUMN = "graph_exec_id"  # since schema 3.0.2


class RecordedDispatches(Struct, frozen=True):
    """The dispatches, and their event ids when they were asked for."""

    dispatches: Dispatches
    event_id: IntColumn


def read_dispatches(
    recorded: RocpdProcess, known: KnownRecords, links: EventLinks, *, events: bool, stacks: bool
) -> RecordedDispatches:
    """Every dispatch; ``events`` adds event ids (for counters), ``stacks`` the launching call."""
    table = recorded.tables.get(_DISPATCH_TABLE)
    optional = [_GRAPH_COLUMN] if _GRAPH_COLUMN in table.columns else []
    if events or stacks:
        optional.append("event_id")
    rows = recorded.timed(_DISPATCH_TABLE, (*_DISPATCH_COLUMNS, *optional))
    count = len(rows["start"])
    event_id = rows.get("event_id", unknown_column(count))
    dispatches = Dispatches(
        start=rows["start"],
        end=rows["end"],
        kernel=known.kernel_index(rows["kernel_id"]),
        agent=known.agent_index(rows["agent_id"], _DISPATCH_TABLE),
        queue=known.queue_index(rows["queue_id"]),
        stream=known.stream_index(rows["stream_id"]),
        process=np.zeros(count, dtype=np.int32),
        thread=rows["tid"],
        dispatch_id=rows["dispatch_id"],
        stack_id=links.stack_ids(event_id) if stacks else unknown_column(count),
        # Columns stay contiguous in memory: most uses look at one dimension of all rows.
        grid=np.stack([rows[name] for name in _GRID]).T,
        block=np.stack([rows[name] for name in _BLOCK]).T,
        lds=rows["group_segment_size"],
        scratch=rows["private_segment_size"],
        graph_exec=rows.get(_GRAPH_COLUMN, unknown_column(count)),
    )
    return RecordedDispatches(dispatches, event_id)


def read_copies(recorded: RocpdProcess, known: KnownRecords, links: EventLinks) -> Copies:
    table = "rocpd_memory_copy"
    names = ("name_id", "size", "src_agent_id", "dst_agent_id", "stream_id", "event_id")
    rows = recorded.timed(table, names)
    return Copies(
        start=rows["start"],
        end=rows["end"],
        direction=recorded.text_indexes(rows["name_id"]),
        bytes=rows["size"],
        source_agent=known.agent_index(rows["src_agent_id"], table),
        target_agent=known.agent_index(rows["dst_agent_id"], table),
        stream=known.stream_index(rows["stream_id"]),
        process=np.zeros(len(rows["start"]), dtype=np.int32),
        thread=rows["tid"],
        stack_id=links.stack_ids(rows["event_id"]),
    )


def read_allocations(recorded: RocpdProcess, known: KnownRecords) -> Allocations:
    table = "rocpd_memory_allocate"
    rows = recorded.timed(table, ("id", "address", "size", "agent_id"))
    texts = {
        row_id: (operation, level)
        for row_id, operation, level in recorded.rows(table, ("id", "type", "level"))
    }
    pairs = [texts.get(int(row_id), (None, None)) for row_id in rows["id"]]
    return Allocations(
        start=rows["start"],
        end=rows["end"],
        operation=recorded.strings.add_all([o or NAME_NOT_RECORDED for o, _ in pairs]),
        level=recorded.strings.add_all([level or NAME_NOT_RECORDED for _, level in pairs]),
        address=rows["address"],
        bytes=rows["size"],
        agent=known.agent_index(rows["agent_id"], table),
        process=np.zeros(len(rows["start"]), dtype=np.int32),
    )


def unknown_column(rows: int) -> IntColumn:
    """A column without any value, which takes no memory."""
    return np.broadcast_to(np.int64(UNKNOWN), (rows,))
