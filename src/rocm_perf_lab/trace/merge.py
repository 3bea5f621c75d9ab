"""Several recorded processes put together into one ``Trace``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from rocm_perf_lab.trace.arguments import ArgumentColumns, Arguments, argument_columns
from rocm_perf_lab.trace.lookup import StringTable
from rocm_perf_lab.trace.model import (
    UNKNOWN,
    ArgumentReader,
    IndexColumn,
    IntColumn,
    Trace,
    no_arguments,
)

# Index columns of the event tables, and the tuple of the Trace that each points into.
POINTS_INTO = {
    "kernel": "kernels",
    "agent": "agents",
    "source_agent": "agents",
    "target_agent": "agents",
    "queue": "queues",
    "stream": "streams",
    "process": "processes",
    "dispatch": "dispatches",
    "operator": "operators",
    "direction": "strings",
    "operation": "strings",
    "level": "strings",
    "name": "strings",
    "category": "strings",
    "message": "strings",
    "place": "strings",
    "instruction": "strings",
    "stall": "strings",
}
_EVENT_TABLES = (
    "dispatches",
    "copies",
    "allocations",
    "api_calls",
    "markers",
    "operators",
    "origins",
    "counters",
    "bounds",
    "samples",
)

Record = TypeVar("Record")


def merge(traces: Sequence[Trace], source: str) -> Trace:
    """One Trace over all processes; a process that was given twice counts once."""
    distinct, warnings = _without_repeated_processes(traces)
    if len(distinct) == 1 and not warnings:
        return replace(distinct[0], source=source)
    strings = StringTable()
    shifts = [_Shift(distinct[:i], trace, strings) for i, trace in enumerate(distinct)]
    tables: dict[str, Any] = {
        name: _concatenate([shift.table(name) for shift in shifts]) for name in _EVENT_TABLES
    }
    return Trace(
        source=source,
        processes=_chain(trace.processes for trace in distinct),
        agents=_chain(shift.records(shift.trace.agents) for shift in shifts),
        kernels=_chain(shift.records(shift.trace.kernels) for shift in shifts),
        queues=_chain(shift.records(shift.trace.queues) for shift in shifts),
        streams=_chain(shift.records(shift.trace.streams) for shift in shifts),
        code_objects=_chain(shift.code_objects() for shift in shifts),
        strings=strings.as_tuple(),
        warnings=_chain(trace.warnings for trace in distinct) + tuple(warnings),
        api_arguments=_merged_arguments(distinct),
        clock_skew_ns=max(trace.clock_skew_ns for trace in distinct),
        **tables,
    )


def _without_repeated_processes(traces: Sequence[Trace]) -> tuple[list[Trace], list[str]]:
    seen: dict[str, str] = {}
    distinct, warnings = [], []
    for trace in traces:
        guids = [process.guid for process in trace.processes if process.guid]
        repeated = next((guid for guid in guids if guid in seen), None)
        if repeated is None:
            distinct.append(trace)
            seen.update((guid, trace.source) for guid in guids)
        else:
            warnings.append(
                f"{trace.source}: left out, the same process was already read from {seen[repeated]}"
            )
    return distinct, warnings


class _Shift:
    """Moves the indexes of one Trace behind those of the Traces before it."""

    def __init__(self, before: Sequence[Trace], trace: Trace, strings: StringTable) -> None:
        self.trace = trace
        self._before = {
            name: sum(len(getattr(other, name)) for other in before)
            for name in set(POINTS_INTO.values()) - {"strings"}
        }
        self._strings = strings.add_all(trace.strings)

    def records(self, records: Sequence[Record]) -> tuple[Record, ...]:
        shift = self._before["processes"]
        return tuple(
            replace(record, process=record.process + shift)  # type: ignore[type-var, attr-defined]
            for record in records
        )

    def code_objects(self) -> tuple[Any, ...]:
        shift = self._before["agents"]
        return tuple(
            replace(item, agent=item.agent + shift if item.agent != UNKNOWN else UNKNOWN)
            for item in self.records(self.trace.code_objects)
        )

    def table(self, name: str) -> Any:
        table = getattr(self.trace, name)
        moved = {
            column: self._moved(getattr(table, column), POINTS_INTO[column])
            for column in table.__struct_fields__
            if column in POINTS_INTO
        }
        return replace(table, **moved)

    def _moved(self, column: IndexColumn, target: str) -> IndexColumn:
        if target == "strings":
            return np.append(self._strings, np.int32(UNKNOWN))[column]  # UNKNOWN stays what it is
        shift = np.int32(self._before[target])
        return np.where(column == UNKNOWN, column, column + shift)


def _concatenate(tables: Sequence[Any]) -> Any:
    first = tables[0]
    columns = {
        column: np.concatenate([getattr(table, column) for table in tables])
        for column in first.__struct_fields__
    }
    return replace(first, **columns)


def _chain(groups: Iterable[Sequence[Record]]) -> tuple[Record, ...]:
    return tuple(record for group in groups for record in group)


def _merged_arguments(traces: Sequence[Trace]) -> ArgumentReader:
    readers = tuple(trace.api_arguments for trace in traces)
    if all(reader is no_arguments for reader in readers):
        return no_arguments
    ends = np.cumsum([len(trace.api_calls) for trace in traces])
    return _MergedArguments(readers, ends.astype(np.int64))


class _MergedArguments(Struct, frozen=True):
    """Asks the reader of the Trace to which a row belonged before."""

    readers: tuple[ArgumentReader, ...]
    ends: IntColumn  # of the rows of each Trace among all rows

    def __call__(self, row: int) -> Arguments:
        part = int(np.searchsorted(self.ends, row, side="right"))
        return self.readers[part](row - self._first(part))

    def columns(self, rows: IntColumn, names: Sequence[str]) -> ArgumentColumns:
        part_of = np.searchsorted(self.ends, rows, side="right")
        texts = StringTable()
        columns = {name: np.full(len(rows), UNKNOWN, dtype=np.int32) for name in names}
        for part in np.unique(part_of).tolist():
            own = np.flatnonzero(part_of == part)
            found = argument_columns(self.readers[part], rows[own] - self._first(part), names)
            moved = np.append(texts.add_all(found.texts), np.int32(UNKNOWN))
            for name in names:
                columns[name][own] = moved[found.columns[name]]
        return ArgumentColumns(texts.as_tuple(), columns)

    def _first(self, part: int) -> int:
        return int(self.ends[part - 1]) if part else 0
