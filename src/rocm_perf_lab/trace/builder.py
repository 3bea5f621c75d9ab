"""Builds the ``Trace`` of one process row by row, for recordings that are not columnar themselves.

Used by the CSV and JSON readers, by the virtual device, and by tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, Optional, TypeVar

import numpy as np

from rocm_perf_lab.trace.lookup import StringTable
from rocm_perf_lab.trace.model import (
    UNKNOWN,
    Agent,
    Allocations,
    ApiCalls,
    CodeObject,
    Copies,
    Counters,
    Dispatches,
    Kernel,
    Markers,
    Operators,
    Origins,
    Process,
    Queue,
    Stream,
    TimeBounds,
    Trace,
    no_arguments,
)
from rocm_perf_lab.trace.records import THIS_PROCESS
from rocm_perf_lab.trace.vocabulary import unnamed_kernel

Dim3 = tuple[int, int, int]
Arguments = tuple[tuple[str, str, str], ...]  # (name, type, value)
UNKNOWN_SIZE: Dim3 = (UNKNOWN, UNKNOWN, UNKNOWN)

Table = TypeVar("Table")
Record = TypeVar("Record")


class _Registry(Generic[Record]):
    """Records by their ids, in the order in which they were added."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._index: dict[int, int] = {}

    def __contains__(self, record_id: int) -> bool:
        return record_id in self._index

    def add(self, record_id: int, record: Record) -> None:
        if record_id not in self._index:
            self._index[record_id] = len(self.records)
            self.records.append(record)

    def index(self, record_id: int) -> int:
        return self._index.get(record_id, UNKNOWN)


@dataclass(frozen=True)
class GivenArguments:
    """Arguments of API calls that are already in memory."""

    calls: tuple[Arguments, ...]

    def __call__(self, row: int) -> Arguments:
        return self.calls[row]


@dataclass
class TraceBuilder:
    """Collects records and events by their recorded ids; ``build`` turns ids into indexes.

    An event without a valid duration, or a dispatch id that was already given, is left out and
    counted in the warnings.
    """

    process: Process
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._strings = StringTable()
        self._agents: _Registry[Agent] = _Registry()
        self._queues: _Registry[Queue] = _Registry()
        self._streams: _Registry[Stream] = _Registry()
        self._kernels: list[Kernel] = []
        self._kernel_index: dict[tuple[int, str], int] = {}
        self._first_of_id: dict[int, int] = {}
        self._code_objects: list[CodeObject] = []
        self._events: dict[type, list[tuple[Any, ...]]] = {
            kind: [] for kind in (Dispatches, Copies, Allocations, ApiCalls, Markers, Operators)
        }
        self._counters: dict[tuple[int, int], float] = {}
        self._bounds: list[tuple[int, int, int]] = []
        self._origins: list[tuple[int, int, int]] = []
        self._arguments: list[Arguments] = []
        self._row_of_dispatch: dict[int, int] = {}
        self._left_out: Counter[str] = Counter()
        self._unnamed_kernels = 0

    def set_pid(self, pid: int) -> None:
        self.process = replace(self.process, pid=pid)

    def add_agent(self, agent: Agent) -> None:
        self._agents.add(agent.id, agent)

    def add_queue(self, queue_id: int, name: Optional[str] = None) -> None:
        self._queues.add(queue_id, Queue(THIS_PROCESS, queue_id, name or f"Queue {queue_id}"))

    def add_stream(
        self, stream_id: int, name: Optional[str] = None, *, independent: bool = False
    ) -> None:
        name = name or f"Stream {stream_id}"
        self._streams.add(stream_id, Stream(THIS_PROCESS, stream_id, name, independent))

    def add_code_object(
        self,
        code_object_id: int,
        agent_id: int,
        uri: Optional[str],
        load_base: Optional[int] = None,
        load_size: Optional[int] = None,
    ) -> None:
        agent = self._agents.index(agent_id)
        self._code_objects.append(
            CodeObject(THIS_PROCESS, code_object_id, agent, uri, load_base, load_size)
        )

    def add_kernel(self, kernel: Kernel) -> int:
        """The kernel's index. One id may have several names: ROCTx ranges can rename kernels."""
        key = (kernel.id, kernel.name)
        if key not in self._kernel_index:
            self._kernel_index[key] = len(self._kernels)
            self._first_of_id.setdefault(kernel.id, len(self._kernels))
            self._kernels.append(kernel)
        return self._kernel_index[key]

    def kernel_of_id(self, kernel_id: int) -> int:
        """The index of the kernel with this id; a placeholder when none was added."""
        if kernel_id not in self._first_of_id:
            self._unnamed_kernels += 1
            return self.add_kernel(Kernel(THIS_PROCESS, kernel_id, unnamed_kernel(kernel_id), None))
        return self._first_of_id[kernel_id]

    def dispatch_row(self, dispatch_id: int) -> Optional[int]:
        return self._row_of_dispatch.get(dispatch_id)

    def add_dispatch(
        self,
        *,
        start: int,
        end: int,
        kernel: int,
        agent_id: int,
        dispatch_id: int,
        queue_id: int = UNKNOWN,
        stream_id: int = UNKNOWN,
        thread: int = UNKNOWN,
        stack_id: int = UNKNOWN,
        grid: Dim3 = UNKNOWN_SIZE,
        block: Dim3 = UNKNOWN_SIZE,
        lds: int = UNKNOWN,
        scratch: int = UNKNOWN,
        graph_exec: int = UNKNOWN,
    ) -> Optional[int]:
        """The row of the dispatch, None when it was left out. ``kernel`` is an index."""
        if not self._valid("dispatches", start, end):
            return None
        if dispatch_id in self._row_of_dispatch:
            self._left_out["dispatches whose id was already there"] += 1
            return None
        row = len(self._events[Dispatches])
        if dispatch_id != UNKNOWN:
            self._row_of_dispatch[dispatch_id] = row
        self._events[Dispatches].append(
            (
                start,
                end,
                kernel,
                self._agents.index(agent_id),
                self._queue(queue_id),
                self._stream(stream_id),
                THIS_PROCESS,
                thread,
                dispatch_id,
                stack_id,
                grid,
                block,
                lds,
                scratch,
                graph_exec,
            )
        )
        return row

    def add_copy(
        self,
        *,
        start: int,
        end: int,
        direction: str,
        size: int = UNKNOWN,
        source_agent_id: int = UNKNOWN,
        target_agent_id: int = UNKNOWN,
        stream_id: int = UNKNOWN,
        thread: int = UNKNOWN,
        stack_id: int = UNKNOWN,
    ) -> None:
        if self._valid("copies", start, end):
            source, target = (
                self._agents.index(source_agent_id),
                self._agents.index(target_agent_id),
            )
            self._events[Copies].append(
                (
                    start,
                    end,
                    self._strings.add(direction),
                    size,
                    source,
                    target,
                    self._stream(stream_id),
                    THIS_PROCESS,
                    thread,
                    stack_id,
                )
            )

    def add_allocation(
        self,
        *,
        start: int,
        end: int,
        operation: str,
        level: str,
        size: int,
        address: int = UNKNOWN,
        agent_id: int = UNKNOWN,
    ) -> None:
        if self._valid("allocations", start, end):
            operation_index, level_index = self._strings.add(operation), self._strings.add(level)
            self._events[Allocations].append(
                (
                    start,
                    end,
                    operation_index,
                    level_index,
                    address,
                    size,
                    self._agents.index(agent_id),
                    THIS_PROCESS,
                )
            )

    def add_api_call(
        self,
        *,
        start: int,
        end: int,
        name: str,
        category: str,
        thread: int = UNKNOWN,
        stack_id: int = UNKNOWN,
        parent_stack_id: int = UNKNOWN,
        arguments: Arguments = (),
    ) -> None:
        if self._valid("API calls", start, end):
            event_id = len(self._arguments) + 1
            self._arguments.append(arguments)
            self._events[ApiCalls].append(
                (
                    start,
                    end,
                    self._strings.add(name),
                    self._strings.add(category),
                    THIS_PROCESS,
                    thread,
                    stack_id,
                    parent_stack_id,
                    event_id,
                )
            )

    def add_marker(self, *, start: int, end: int, message: str, thread: int = UNKNOWN) -> None:
        if self._valid("markers", start, end):
            self._events[Markers].append(
                (start, end, self._strings.add(message), THIS_PROCESS, thread)
            )

    def add_operator(self, *, start: int, end: int, name: str, thread: int = UNKNOWN) -> int:
        """The row of the operator, ``UNKNOWN`` when it was left out."""
        if not self._valid("operators", start, end):
            return UNKNOWN
        self._events[Operators].append((start, end, self._strings.add(name), THIS_PROCESS, thread))
        return len(self._events[Operators]) - 1

    def add_origin(self, dispatch_row: int, operator: int, place: Optional[str]) -> None:
        """``operator`` is a row or ``UNKNOWN``."""
        index = UNKNOWN if place is None else self._strings.add(place)
        self._origins.append((dispatch_row, operator, index))

    def add_counter(self, dispatch_row: int, name: str, value: float) -> None:
        """Add one instance's value; instances of one counter are summed."""
        if not np.isfinite(value):
            self._left_out["counter values that are not numbers"] += 1
            return
        key = (dispatch_row, self._strings.add(name))
        self._counters[key] = self._counters.get(key, 0.0) + value

    def add_bound(self, dispatch_row: int, name: str, simulated: int) -> None:
        self._bounds.append((dispatch_row, self._strings.add(name), simulated))

    def build(self) -> Trace:
        counters = sorted(self._counters.items())
        notes = [f"left out {count} {what}" for what, count in self._left_out.items()]
        if self._unnamed_kernels:
            notes.append(f"{self._unnamed_kernels} kernels have no symbol: their names are unknown")
        has_arguments = any(self._arguments)
        return Trace(
            source=self.process.source,
            processes=(self.process,),
            agents=tuple(self._agents.records),
            kernels=tuple(self._kernels),
            queues=tuple(self._queues.records),
            streams=tuple(self._streams.records),
            code_objects=tuple(self._code_objects),
            strings=self._strings.as_tuple(),
            dispatches=self._table(Dispatches),
            copies=self._table(Copies),
            allocations=self._table(Allocations),
            api_calls=self._table(ApiCalls),
            markers=self._table(Markers),
            operators=self._table(Operators),
            origins=_as_table(Origins, self._origins),
            counters=_as_table(Counters, [(row, name, value) for (row, name), value in counters]),
            bounds=_as_table(TimeBounds, self._bounds),
            warnings=(*self.warnings, *(f"{self.process.source}: {text}" for text in notes)),
            api_arguments=GivenArguments(tuple(self._arguments)) if has_arguments else no_arguments,
        )

    def _table(self, kind: type[Table]) -> Table:
        return _as_table(kind, self._events[kind])

    def _valid(self, what: str, start: int, end: int) -> bool:
        if 0 <= start <= end:
            return True
        self._left_out[f"{what} without a valid start and end time"] += 1
        return False

    def _queue(self, queue_id: int) -> int:
        if queue_id != UNKNOWN and queue_id not in self._queues:
            self.add_queue(queue_id)
        return self._queues.index(queue_id)

    def _stream(self, stream_id: int) -> int:
        if stream_id != UNKNOWN and stream_id not in self._streams:
            self.add_stream(stream_id)
        return self._streams.index(stream_id)


def _as_table(kind: type[Table], rows: Sequence[tuple[Any, ...]]) -> Table:
    """Rows whose values stand in the order of the table's columns."""
    empty = kind()
    if not rows:
        return empty
    names = [column.name for column in fields(empty)]  # type: ignore[arg-type]
    return kind(
        **{
            name: np.array(values, dtype=getattr(empty, name).dtype)
            for name, values in zip(names, zip(*rows))
        }
    )
