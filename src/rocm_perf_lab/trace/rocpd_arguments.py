"""Arguments of API calls, read from a rocpd database one call at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rocm_perf_lab.trace.arguments import ArgumentColumns, Arguments
from rocm_perf_lab.trace.model import UNKNOWN, IntColumn
from rocm_perf_lab.trace.sqlite_columns import NumericReader, Table, connect, explained

_IDS_PER_QUESTION = 5_000
_EVENT = "CAST(COALESCE(event_id, 0) AS INTEGER)"  # as the index has it, whatever was stored


class RocpdArguments:
    """Finds the arguments of a call by its event id; the file is opened at the first question.

    ``rocpd_arg`` has no index on the event, so one is made in memory: without it every question
    would scan the table.
    """

    def __init__(self, path: Path, table: Table, event_ids: IntColumn) -> None:
        self._path = path
        self._table = table
        self._event_ids = event_ids

    def __call__(self, row: int) -> Arguments:
        if not self._table.columns:
            return ()
        with explained(self._path):
            ids = self._ids_of(self._event_ids[row : row + 1])
            found = self._select("name, type, value", ids, "position")
        return tuple((_text(name), _text(kind), _text(value)) for name, kind, value in found)

    def columns(self, rows: IntColumn, names: Sequence[str]) -> ArgumentColumns:
        """The named arguments of all of these calls, fetched together."""
        events, call = np.unique(self._event_ids[rows], return_inverse=True)
        found = []
        if self._table.columns:
            with explained(self._path):
                found = self._select(f"{_EVENT}, name, value", self._ids_of(events), "id")
        event, name, value = zip(*found) if found else ((), (), ())
        place = np.searchsorted(events, np.array(event, dtype=np.int64))
        code_of = {text.encode(): code for code, text in enumerate(names)}
        code = np.array([code_of.get(text, UNKNOWN) for text in name], dtype=np.int64)
        index: dict[object, int] = {}
        text = np.array([index.setdefault(raw, len(index)) for raw in value], dtype=np.int32)
        columns = {}
        for number, wanted in enumerate(names):
            column = np.full(len(events), UNKNOWN, dtype=np.int32)
            own = np.flatnonzero(code == number)[::-1]  # of a repeated name the first counts
            column[place[own]] = text[own]
            columns[wanted] = column[call]
        return ArgumentColumns(tuple(map(_text, index)), columns)

    def _ids_of(self, events: IntColumn) -> list[int]:
        """Rows of the table that belong to these events, in the order of the recording."""
        known, row_ids = self._index
        events = events[events != UNKNOWN]
        first = np.searchsorted(known, events)
        counts = np.searchsorted(known, events, side="right") - first
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        ids: list[int] = np.sort(row_ids[np.repeat(first, counts) + offsets]).tolist()
        return ids

    def _select(self, columns: str, ids: list[int], order: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for begin in range(0, len(ids), _IDS_PER_QUESTION):
            part = ", ".join(map(str, ids[begin : begin + _IDS_PER_QUESTION]))
            statement, parameters = self._table.select(columns, f"id IN ({part})")
            found += self._connection.execute(f"{statement} ORDER BY {order}", parameters)
        return found

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        connection = connect(self._path)
        connection.text_factory = bytes  # texts repeat: each is decoded once
        return connection

    @cached_property
    def _index(self) -> tuple[IntColumn, IntColumn]:
        with closing(connect(self._path)) as connection:
            reader = NumericReader(self._path, connection)
            columns = reader.read(self._table, ("event_id", "id"))
        events = columns.values["event_id"].astype(np.int64)
        order = np.argsort(events, kind="stable")
        return events[order], columns.values["id"].astype(np.int64)[order]


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)
