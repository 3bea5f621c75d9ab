"""Tables of a SQLite recording: opened without side effects, numbers read as NumPy columns.

Numbers come from the mapped pages (``pages``) where possible and from SQLite otherwise;
both give the same columns.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Optional
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.files.foreign import HOW_TO_RECORD
from rocm_perf_lab.trace.sqlite.mapped import PageFile
from rocm_perf_lab.trace.sqlite.ordered import OrderedRows
from rocm_perf_lab.trace.sqlite.pages import TablePages
from rocm_perf_lab.trace.sqlite.stored import (
    Mask,
    NumericColumns,
    PagesUnsupported,
    StoredColumn,
)

_ROWS_PER_FETCH = 20_000
_INT64 = np.iinfo(np.int64)


class Table(Struct, frozen=True):
    """A table or view by its physical name; ``guid`` selects the rows of one process."""

    name: str
    columns: tuple[str, ...]
    guid: Optional[str] = None

    def select(self, what: str, condition: str = "TRUE") -> tuple[str, tuple[str, ...]]:
        """The SELECT statement over this table's rows and its parameters."""
        statement = f"SELECT {what} FROM {quoted(self.name)} WHERE {condition}"
        if self.guid is None:
            return statement, ()
        return f"{statement} AND guid = ?", (self.guid,)


def quoted(identifier: str) -> str:
    return '"' + identifier.replace('"', '""') + '"'


def _replace_invalid(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def connect(path: Path) -> sqlite3.Connection:
    """Open read-only. Without a log beside it the file cannot change: no locks, no new files."""
    settled = not any(Path(f"{path}{suffix}").exists() for suffix in ("-wal", "-journal"))
    mode = "immutable=1" if settled else "mode=ro"
    uri = f"file:{quote(str(path.absolute()))}?{mode}"
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
    connection.text_factory = _replace_invalid
    return connection


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns what SQLite says about a damaged file into the error that users see."""
    try:
        yield
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        raise RecordingError(
            f"{path} cannot be read: {error}; the recording is damaged or was not finished",
            f"let the application end by itself and record again; {HOW_TO_RECORD}",
        ) from error


class OrderedColumns(Struct, frozen=True):
    """Some columns of a table whose rows are found by their key."""

    rows: OrderedRows
    columns: tuple[StoredColumn, ...]

    def read(self, wanted: npt.NDArray[np.int64]) -> Optional[NumericColumns]:
        """Rows with these keys and their neighbours, None where pages hold something unusual."""
        try:
            return self.rows.read(self.columns, wanted)
        except PagesUnsupported:
            return None


class NumericReader:
    """Reads numeric columns of one database file."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._pages: Optional[PageFile] = None
        with suppress(PagesUnsupported, OSError, ValueError):
            self._pages = PageFile(path)

    def read(
        self, table: Table, integers: Sequence[str], reals: Sequence[str] = ()
    ) -> NumericColumns:
        """Columns by name. A column that the table lacks is all NULL."""
        present = [name for name in (*integers, *reals) if name in table.columns]
        result = self._from_pages(table, present, reals)
        if result is None:
            result = self._from_sqlite(table, present, reals)
        self._add_absent(result, table, integers, reals)
        return result

    def ordered(self, table: Table, key: str, names: Sequence[str]) -> Optional[OrderedColumns]:
        """Columns of rows by an ascending ``key``, None where that cannot be read from pages."""
        if self._pages is None or table.guid is not None:
            return None
        try:
            root, stored = self._stored_columns(table.name)
            rows = OrderedRows(TablePages.below(self._pages, root), stored[key])
            return OrderedColumns(rows, tuple(stored[name] for name in names))
        except (PagesUnsupported, KeyError):
            return None

    def has_unique_ids(self, table: Table) -> bool:
        """Whether SQLite itself keeps ``id`` unique in this table."""
        if not table.columns:
            return True
        info = self._connection.execute(f"PRAGMA table_info({quoted(table.name)})").fetchall()
        keys = [name for _, name, _, _, _, key in info if key]
        return keys == ["id"]

    def _from_pages(
        self, table: Table, names: Sequence[str], reals: Sequence[str]
    ) -> Optional[NumericColumns]:
        if not names:
            return NumericColumns(0) if not table.columns else None
        if self._pages is None or table.guid is not None:
            return None
        try:
            root, stored = self._stored_columns(table.name)
            columns = [replace(stored[name], is_real=name in reals) for name in names]
            return TablePages.below(self._pages, root).read(columns)
        except (PagesUnsupported, KeyError):
            return None

    def _stored_columns(self, table: str) -> tuple[int, dict[str, StoredColumn]]:
        row = self._connection.execute(
            "SELECT rootpage, sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
        ).fetchone()
        if row is None:
            raise PagesUnsupported("not a table")
        info = self._connection.execute(f"PRAGMA table_xinfo({quoted(table)})").fetchall()
        if any(hidden for *_, hidden in info):
            raise PagesUnsupported("generated columns")
        single_key = sum(1 for *_, key, _hidden in info if key) == 1
        descending = re.search(r"PRIMARY\s+KEY\s+DESC", row[1] or "", re.IGNORECASE) is not None
        columns = {}
        for position, name, declared, _notnull, default, key, _hidden in info:
            columns[name] = StoredColumn(
                name,
                position,
                is_rowid=bool(key)
                and single_key
                and declared.upper() == "INTEGER"
                and not descending,
                default=default,
            )
        return int(row[0]), columns

    def _from_sqlite(
        self, table: Table, names: Sequence[str], reals: Sequence[str]
    ) -> NumericColumns:
        statement, parameters = table.select(", ".join(map(quoted, names)) or "1")
        cursor = self._connection.execute(statement, parameters)
        pieces: list[list[tuple[npt.NDArray[np.generic], Mask]]] = [[] for _ in names]
        rows = 0
        while batch := cursor.fetchmany(_ROWS_PER_FETCH):
            rows += len(batch)
            for name, piece, values in zip(names, pieces, zip(*batch)):
                piece.append(_reals(values) if name in reals else _integers(values))
        result = NumericColumns(rows)
        for name, piece in zip(names, pieces):
            kind: Any = np.float64 if name in reals else np.int64
            result.values[name] = np.concatenate([np.empty(0, kind), *(v for v, _ in piece)])
            nulls = np.concatenate([np.empty(0, bool), *(mask for _, mask in piece)])
            if nulls.any():
                result.nulls[name] = nulls
        return result

    @staticmethod
    def _add_absent(
        result: NumericColumns, table: Table, integers: Sequence[str], reals: Sequence[str]
    ) -> None:
        for name in (*integers, *reals):
            if name not in table.columns:
                kind: Any = np.float64 if name in reals else np.int64
                result.values[name] = np.zeros(result.rows, dtype=kind)
                result.nulls[name] = np.ones(result.rows, dtype=bool)


def _integers(values: Sequence[object]) -> tuple[npt.NDArray[np.generic], Mask]:
    """What is not a 64-bit integer counts as NULL: a number must not be guessed from a text."""
    fits = [type(v) is int and _INT64.min <= v <= _INT64.max for v in values]
    if all(fits):
        return np.array(values, dtype=np.int64), np.zeros(len(values), dtype=bool)
    kept = [value if fit else 0 for value, fit in zip(values, fits)]
    return np.array(kept, dtype=np.int64), ~np.array(fits)


def _reals(values: Sequence[object]) -> tuple[npt.NDArray[np.generic], Mask]:
    fits = [isinstance(value, (int, float)) for value in values]
    kept = [value if fit else 0.0 for value, fit in zip(values, fits)]
    return np.array(kept, dtype=np.float64), ~np.array(fits)


def tables_of(connection: sqlite3.Connection, prefix: str) -> list[str]:
    """Names of all tables and views that start with ``prefix``."""
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
    ).fetchall()
    return [name for (name,) in names if isinstance(name, str) and name.startswith(prefix)]


def columns_of(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """Column names; none for a view over tables that are not there."""
    try:
        info = connection.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
    except sqlite3.OperationalError:
        return ()
    return tuple(row[1] for row in info)
