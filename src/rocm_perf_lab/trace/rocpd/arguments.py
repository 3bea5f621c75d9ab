"""Arguments of API calls, read from a rocpd database one call at a time."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from functools import cached_property
from itertools import count, repeat
from pathlib import Path
from typing import Any, Optional

import numpy as np

from rocm_perf_lab.trace.arguments import ArgumentColumns, Arguments
from rocm_perf_lab.trace.model import UNKNOWN, IntColumn
from rocm_perf_lab.trace.sqlite.columns import (
    NumericReader,
    OrderedColumns,
    Table,
    connect,
    explained,
)

_IDS_PER_QUESTION = 5_000
_INDEXED = ("event_id", "id")
_EVENT = "CAST(COALESCE(event_id, 0) AS INTEGER)"  # as the index has it, whatever was stored


class RocpdArguments:
    """Finds the arguments of a call by its event id; the file is opened at the first question.

    ``rocpd_arg`` has no index on the event. Its rows stand in the order of events, though, and
    where they do not an index is made in memory: otherwise every question would scan the table.
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
        code = np.fromiter(map(code_of.get, name, repeat(UNKNOWN)), np.int64, len(found))
        index: dict[object, int] = defaultdict(count().__next__)  # numbers texts as they come
        text = np.fromiter(map(index.__getitem__, value), np.int32, len(found))
        columns = {}
        for number, wanted in enumerate(names):
            column = np.full(len(events), UNKNOWN, dtype=np.int32)
            own = np.flatnonzero(code == number)[::-1]  # of a repeated name the first counts
            column[place[own]] = text[own]
            columns[wanted] = column[call]
        return ArgumentColumns(tuple(map(_text, index)), columns)

    def _ids_of(self, events: IntColumn) -> IntColumn:
        """Rows of the table that belong to these events, in the order of the recording."""
        events = events[events != UNKNOWN]
        if not len(events):
            return events
        known, row_ids = self._near(events) or self._index
        first = np.searchsorted(known, events)
        counts = np.searchsorted(known, events, side="right") - first
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.sort(row_ids[np.repeat(first, counts) + offsets])

    def _select(self, columns: str, ids: IntColumn, order: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for begin in range(0, len(ids), _IDS_PER_QUESTION):
            within = _within(ids[begin : begin + _IDS_PER_QUESTION])
            statement, parameters = self._table.select(columns, within)
            found += self._connection.execute(f"{statement} ORDER BY {order}", parameters)
        return found

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        connection = connect(self._path)
        connection.text_factory = bytes  # texts repeat: each is decoded once
        return connection

    def _near(self, events: IntColumn) -> Optional[tuple[IntColumn, IntColumn]]:
        """Event and id of rows around these events, None unless each of them is found there."""
        columns = self._ordered.read(events) if self._ordered is not None else None
        if columns is None or not columns.rows:
            return None
        known, ids = (columns.values[name].astype(np.int64) for name in _INDEXED)
        place = np.searchsorted(known, events).clip(max=len(known) - 1)
        if (known[1:] < known[:-1]).any() or (known[place] != events).any():
            return None
        return known, ids

    @cached_property
    def _ordered(self) -> Optional[OrderedColumns]:
        """rocprofv3 writes arguments call by call, so that few pages have to be looked at."""
        with closing(connect(self._path)) as connection:
            reader = NumericReader(self._path, connection)
            return reader.ordered(self._table, "event_id", _INDEXED)

    @cached_property
    def _index(self) -> tuple[IntColumn, IntColumn]:
        """Event and id of every row, by event."""
        with closing(connect(self._path)) as connection:
            columns = NumericReader(self._path, connection).read(self._table, _INDEXED)
        events = columns.values["event_id"].astype(np.int64)
        order = np.argsort(events, kind="stable")
        return events[order], columns.values["id"].astype(np.int64)[order]


def _within(ids: IntColumn) -> str:
    """The condition for these rows. Neighbours, as most are, need no list."""
    if bool((ids[1:] - ids[:-1] == 1).all()):
        return f"id BETWEEN {ids[0]} AND {ids[-1]}"
    return f"id IN ({', '.join(map(str, ids.tolist()))})"


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)
