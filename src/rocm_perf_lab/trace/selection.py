"""The part of a ``Trace`` that belongs to one process."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from rocm_perf_lab.trace.merge import POINTS_INTO
from rocm_perf_lab.trace.model import UNKNOWN, ArgumentReader, IndexColumn, IntColumn, Trace

_RECORDS = ("agents", "kernels", "queues", "streams", "code_objects")
_EVENTS = ("dispatches", "copies", "allocations", "api_calls", "markers", "operators")


def select_process(trace: Trace, index: int) -> Trace:
    """A Trace with the records and events of the process with this index, and no other."""
    if len(trace.processes) == 1:
        return trace
    first: dict[str, int] = {}
    records: dict[str, Any] = {}
    for name in _RECORDS:
        everyone = getattr(trace, name)
        first[name] = next((i for i, r in enumerate(everyone) if r.process == index), 0)
        records[name] = tuple(replace(r, process=0) for r in everyone if r.process == index)
    records["code_objects"] = tuple(
        replace(item, agent=item.agent if item.agent == UNKNOWN else item.agent - first["agents"])
        for item in records["code_objects"]
    )
    rows = {name: np.flatnonzero(getattr(trace, name).process == index) for name in _EVENTS}
    events = {name: _pick(getattr(trace, name), rows[name], first) for name in _EVENTS}
    new_row = renumbered(len(trace.dispatches), rows["dispatches"])
    new_operator = renumbered(len(trace.operators), rows["operators"])
    origins = of_dispatches(trace.origins, new_row)
    return replace(
        trace,
        processes=(trace.processes[index],),
        counters=of_dispatches(trace.counters, new_row),
        bounds=of_dispatches(trace.bounds, new_row),
        samples=of_dispatches(trace.samples, new_row),
        origins=replace(origins, operator=new_operator[origins.operator]),
        api_arguments=Renumbered(trace.api_arguments, rows["api_calls"]),
        **records,
        **events,
    )


class Renumbered(Struct, frozen=True):
    arguments: ArgumentReader
    rows: IntColumn

    def __call__(self, row: int) -> tuple[tuple[str, str, str], ...]:
        return self.arguments(int(self.rows[row]))


def renumbered(count: int, kept: IntColumn) -> IndexColumn:
    """The new number of every row, ``UNKNOWN`` for those that go, and for ``UNKNOWN`` itself."""
    new = np.full(count + 1, UNKNOWN, dtype=np.int32)
    new[kept] = np.arange(len(kept), dtype=np.int32)
    return new


def of_dispatches(table: Any, new_row: IndexColumn) -> Any:
    """The rows that belong to a dispatch that stays."""
    rows = np.flatnonzero(new_row[table.dispatch] != UNKNOWN)
    return replace(_pick(table, rows, {}), dispatch=new_row[table.dispatch[rows]])


def _pick(table: Any, rows: IntColumn, first: dict[str, int]) -> Any:
    columns = {}
    for name in table.__struct_fields__:
        values = getattr(table, name)[rows]
        if name == "process":
            values = np.zeros_like(values)
        elif POINTS_INTO.get(name) in first:
            shift = np.int32(first[POINTS_INTO[name]])
            values = np.where(values == UNKNOWN, values, values - shift)
        columns[name] = values
    return replace(table, **columns)
