"""Builds the ``Trace`` of one process row by row, for recordings that are not columnar themselves.

Used by the CSV and JSON readers, by the virtual device, and by tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

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
    IndexColumn,
    IntColumn,
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
from rocm_perf_lab.trace.row_tables import Arguments, GivenArguments, Registry, as_table, indexes
from rocm_perf_lab.trace.times import trouble
from rocm_perf_lab.trace.vocabulary import unnamed_kernel

Dim3 = tuple[int, int, int]
UNKNOWN_SIZE: Dim3 = (UNKNOWN, UNKNOWN, UNKNOWN)

Table = TypeVar("Table", bound=Struct)


_AS_RECORDED = ("start", "end", "thread", "dispatch_id", "stack_id", "lds", "scratch")


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
        self._agents: Registry[Agent] = Registry()
        self._queues: Registry[Queue] = Registry()
        self._streams: Registry[Stream] = Registry()
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
        self._tables: list[Dispatches] = []  # what came in blocks, and single ones before it
        self._rows_in_tables = 0

    def set_pid(self, pid: int) -> None:
        self.process = replace(self.process, pid=pid)

    def set_rank(self, rank: int) -> None:
        self.process = replace(self.process, rank=rank)

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
        row = self._rows_in_tables + len(self._events[Dispatches])
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

    def can_add(self, dispatch_ids: IntColumn) -> bool:
        """Whether dispatches with these ids, all different, are new."""
        return self._row_of_dispatch.keys().isdisjoint(dispatch_ids.tolist())

    def add_dispatches(
        self,
        numbers: Mapping[str, IntColumn],
        *,
        kernels: IndexColumn,
        agent_ids: IntColumn,
        grid: IntColumn,
        block: IntColumn,
    ) -> None:
        """Many dispatches with valid times and new ids; numbers as ``add_dispatch`` has them."""
        self._close_table()
        first, count = self._rows_in_tables, len(kernels)
        ids = numbers["dispatch_id"].tolist()
        self._row_of_dispatch.update(zip(ids, range(first, first + count)))
        self._row_of_dispatch.pop(UNKNOWN, None)
        self._tables.append(
            Dispatches(
                **{name: numbers[name] for name in _AS_RECORDED},
                kernel=kernels,
                agent=indexes(agent_ids, self._agents.index),
                queue=indexes(numbers["queue"], self._queue),
                stream=indexes(numbers["stream"], self._stream),
                process=np.full(count, THIS_PROCESS, dtype=np.int32),
                grid=grid,
                block=block,
                graph_exec=np.full(count, UNKNOWN, dtype=np.int64),
            )
        )
        self._rows_in_tables += count

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
            dispatches=self._dispatches(),
            copies=self._table(Copies),
            allocations=self._table(Allocations),
            api_calls=self._table(ApiCalls),
            markers=self._table(Markers),
            operators=self._table(Operators),
            origins=as_table(Origins, self._origins),
            counters=as_table(Counters, [(row, name, value) for (row, name), value in counters]),
            bounds=as_table(TimeBounds, self._bounds),
            warnings=(*self.warnings, *(f"{self.process.source}: {text}" for text in notes)),
            api_arguments=GivenArguments(tuple(self._arguments)) if has_arguments else no_arguments,
        )

    def _table(self, kind: type[Table]) -> Table:
        return as_table(kind, self._events[kind])

    def _close_table(self) -> None:
        single = self._events[Dispatches]
        if single:
            self._tables.append(self._table(Dispatches))
            self._rows_in_tables += len(single)
            self._events[Dispatches] = []

    def _dispatches(self) -> Dispatches:
        self._close_table()
        if len(self._tables) < 2:
            return self._tables[0] if self._tables else Dispatches()
        names = Dispatches.__struct_fields__
        return Dispatches(
            **{name: np.concatenate([getattr(t, name) for t in self._tables]) for name in names}
        )

    def _valid(self, what: str, start: int, end: int) -> bool:
        wrong = trouble(start, end, UNKNOWN)
        if wrong is None:
            return True
        self._left_out[f"{what} {wrong}"] += 1
        return False

    def _queue(self, queue_id: int) -> int:
        if queue_id != UNKNOWN and queue_id not in self._queues:
            self.add_queue(queue_id)
        return self._queues.index(queue_id)

    def _stream(self, stream_id: int) -> int:
        if stream_id != UNKNOWN and stream_id not in self._streams:
            self.add_stream(stream_id)
        return self._streams.index(stream_id)
