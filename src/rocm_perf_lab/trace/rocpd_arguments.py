"""Arguments of API calls, read from a rocpd database one call at a time."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from pathlib import Path

import numpy as np

from rocm_perf_lab.trace.model import UNKNOWN, IntColumn
from rocm_perf_lab.trace.sqlite_columns import NumericReader, Table, connect, explained


class RocpdArguments:
    """Finds the arguments of a call by its event id; the file is opened at the first question.

    ``rocpd_arg`` has no index on the event, so one is made in memory: without it every question
    would scan the table.
    """

    def __init__(self, path: Path, table: Table, event_ids: IntColumn) -> None:
        self._path = path
        self._table = table
        self._event_ids = event_ids

    def __call__(self, row: int) -> tuple[tuple[str, str, str], ...]:
        event = int(self._event_ids[row])
        if event == UNKNOWN or not self._table.columns:
            return ()
        with explained(self._path):
            return self._arguments_of(event)

    def _arguments_of(self, event: int) -> tuple[tuple[str, str, str], ...]:
        events, row_ids = self._index
        first, last = np.searchsorted(events, [event, event + 1])
        wanted = ", ".join(str(int(row_id)) for row_id in row_ids[first:last])
        statement, parameters = self._table.select("name, type, value", f"id IN ({wanted})")
        found = self._connection.execute(f"{statement} ORDER BY position", parameters)
        return tuple((_text(name), _text(kind), _text(value)) for name, kind, value in found)

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        return connect(self._path)

    @cached_property
    def _index(self) -> tuple[IntColumn, IntColumn]:
        columns = NumericReader(self._path, self._connection).read(self._table, ("event_id", "id"))
        events = columns.values["event_id"].astype(np.int64)
        order = np.argsort(events, kind="stable")
        return events[order], columns.values["id"].astype(np.int64)[order]


def _text(value: object) -> str:
    return "" if value is None else str(value)
