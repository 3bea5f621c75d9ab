"""One recorded process of a rocpd database while it is being read."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, field

from rocm_perf_lab.trace.lookup import StringTable, positions_of
from rocm_perf_lab.trace.model import UNKNOWN, IndexColumn, IntColumn
from rocm_perf_lab.trace.rocpd.layout import ProcessTables
from rocm_perf_lab.trace.sqlite.columns import NumericReader, quoted
from rocm_perf_lab.trace.times import trouble
from rocm_perf_lab.trace.vocabulary import NAME_NOT_RECORDED

_TRACK_COLUMNS = ("tid", "agent_id", "queue_id", "stream_id")


class RocpdProcess(Struct):
    """Where one process stands in the database, and what its reading has collected so far."""

    path: Path
    connection: sqlite3.Connection
    numbers: NumericReader
    tables: ProcessTables
    strings: StringTable = field(default_factory=StringTable)
    warnings: list[str] = field(default_factory=list)

    def integers(self, table: str, names: Sequence[str]) -> dict[str, IntColumn]:
        """Integer columns with ``UNKNOWN`` for NULL; empty where there is no such table."""
        columns = self.numbers.read(self.tables.get(table), names)
        return {name: columns.integers(name, UNKNOWN) for name in columns.values}

    def rows(
        self, table: str, names: Sequence[str], condition: str = "TRUE"
    ) -> Iterator[tuple[Any, ...]]:
        """Rows of a small table; columns that this schema version lacks are None."""
        source = self.tables.get(table)
        if not source.columns:
            return iter(())
        wanted = ", ".join(quoted(name) if name in source.columns else "NULL" for name in names)
        return iter(self.connection.execute(*source.select(wanted, condition)))

    def timed(self, table: str, names: Sequence[str]) -> dict[str, IntColumn]:
        """``start``, ``end``, ``tid`` and the named columns of all rows with a valid duration."""
        source = self.tables.get(table)
        by_track = "start_id" in source.columns
        if by_track:
            stored = [name for name in names if name in source.columns]
            columns = self.integers(table, [*stored, "track_id", "start_id", "end_id"])
            self._resolve_track(columns, [n for n in ("tid", *names) if n not in stored])
            self._resolve_times(columns)
        else:
            columns = self.integers(table, [*names, "tid", "start", "end"])
        return self._valid_rows(table, columns)

    def text_indexes(self, ids: IntColumn) -> IndexColumn:
        """Indexes into ``strings`` of the texts with these ids in ``rocpd_string``."""
        return self.indexes_of_named(ids, "rocpd_string", "string")

    def indexes_of_named(self, ids: IntColumn, table: str, column: str) -> IndexColumn:
        texts = dict(self.rows(table, ("id", column)))
        known = np.fromiter((i for i in texts if isinstance(i, int)), dtype=np.int64)
        position = positions_of(ids, known)
        used = np.flatnonzero(np.bincount(position - UNKNOWN)) + UNKNOWN
        table_of_indexes = np.zeros(len(known) + 1, dtype=np.int32)  # the last one is UNKNOWN's
        for slot in used:
            text = texts[int(known[slot])] if slot != UNKNOWN else None
            table_of_indexes[slot] = self.strings.add(
                text if isinstance(text, str) else NAME_NOT_RECORDED
            )
        return np.asarray(table_of_indexes[position], dtype=np.int32)

    def _resolve_track(self, columns: dict[str, IntColumn], names: Sequence[str]) -> None:
        track = self.integers("rocpd_track", ("id", *_TRACK_COLUMNS))
        position = positions_of(columns.pop("track_id"), track["id"])
        for name in names:
            if name in _TRACK_COLUMNS:
                columns[name] = pick(track[name], position)
            else:
                columns[name] = np.full(len(position), UNKNOWN, dtype=np.int64)

    def _resolve_times(self, columns: dict[str, IntColumn]) -> None:
        times = self.integers("rocpd_timestamp", ("id", "value"))
        for name in ("start", "end"):
            position = positions_of(columns.pop(f"{name}_id"), times["id"])
            columns[name] = pick(times["value"], position)

    def _valid_rows(self, table: str, columns: dict[str, IntColumn]) -> dict[str, IntColumn]:
        columns = self._without_duplicates(table, columns)
        start, end = columns["start"], columns["end"]
        valid = (start >= 0) & (end >= start)
        if valid.all():
            return columns
        pairs = zip(start[~valid].tolist(), end[~valid].tolist())
        causes = Counter(trouble(*pair, UNKNOWN) for pair in pairs)
        why = ", ".join(f"{count} {cause}" for cause, count in causes.items())
        self.warnings.append(
            f"{self.path.name}: left out {int((~valid).sum())} rows of {table}: {why}"
            f"{self._stored_times(table)}"
        )
        return {name: column[valid] for name, column in columns.items()}

    def _stored_times(self, table: str) -> str:
        """As what SQLite holds times that are not integers, where it can be asked."""
        source = self.tables.get(table)
        if not {"start", "end"} <= set(source.columns):
            return ""
        kinds = "typeof(start), typeof(end)"
        stored = {kind for row in self.connection.execute(*source.select(kinds)) for kind in row}
        unusual = sorted(stored - {"integer"})
        return f" (stored as {' and '.join(unusual)})" if unusual else ""

    def _without_duplicates(
        self, table: str, columns: dict[str, IntColumn]
    ) -> dict[str, IntColumn]:
        if self.numbers.has_unique_ids(self.tables.get(table)):
            return columns
        ids = self.integers(table, ("id",))["id"]
        _, first = np.unique(ids, return_index=True)
        repeated = len(ids) - len(first)
        if not repeated or (ids == UNKNOWN).any():
            return columns
        self.warnings.append(
            f"{self.path.name}: left out {repeated} rows of {table} whose id stands there twice"
        )
        first.sort()
        return {name: column[first] for name, column in columns.items()}


def pick(values: IntColumn, position: IntColumn) -> IntColumn:
    if not len(values):
        return np.full(len(position), UNKNOWN, dtype=np.int64)
    picked = values[position]
    picked[position == UNKNOWN] = UNKNOWN
    return picked
