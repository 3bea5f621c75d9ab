"""Arguments of API calls, read from a rocpd database one call at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from rocm_perf_lab.trace.arguments import Arguments
from rocm_perf_lab.trace.model import UNKNOWN, IntColumn
from rocm_perf_lab.trace.sqlite_columns import NumericReader, Table, connect, explained

_IDS_PER_QUESTION = 5_000


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
        return self.many((row,))[0]

    def many(self, rows: Sequence[int]) -> list[Arguments]:
        """The arguments of each of these calls, fetched together."""
        if not self._table.columns or not len(rows):
            return [()] * len(rows)
        with explained(self._path):
            wanted = self._event_ids[np.asarray(rows, dtype=np.int64)]
            found = self._arguments_of(np.unique(wanted[wanted != UNKNOWN]))
        return [tuple(found.get(event, ())) for event in wanted.tolist()]

    def _arguments_of(self, wanted: IntColumn) -> dict[int, list[tuple[str, str, str]]]:
        events, row_ids = self._index
        first = np.searchsorted(events, wanted)
        counts = np.searchsorted(events, wanted, side="right") - first
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        ids = row_ids[np.repeat(first, counts) + offsets].tolist()
        found: dict[int, list[tuple[str, str, str]]] = {}
        for begin in range(0, len(ids), _IDS_PER_QUESTION):
            part = ", ".join(map(str, ids[begin : begin + _IDS_PER_QUESTION]))
            statement, parameters = self._table.select(
                "event_id, name, type, value", f"id IN ({part})"
            )
            rows = self._connection.execute(f"{statement} ORDER BY event_id, position", parameters)
            for event, name, kind, value in rows:
                argument = (_text(name), _text(kind), _text(value))
                if event in found:
                    found[event].append(argument)
                else:
                    found[event] = [argument]
        return found

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        connection = connect(self._path)
        connection.text_factory = bytes  # texts repeat: each is decoded once, by _text
        return connection

    @cached_property
    def _index(self) -> tuple[IntColumn, IntColumn]:
        with closing(connect(self._path)) as connection:
            reader = NumericReader(self._path, connection)
            columns = reader.read(self._table, ("event_id", "id"))
        events = columns.values["event_id"].astype(np.int64)
        order = np.argsort(events, kind="stable")
        return events[order], columns.values["id"].astype(np.int64)[order]


@lru_cache(maxsize=1 << 16, typed=True)
def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)
