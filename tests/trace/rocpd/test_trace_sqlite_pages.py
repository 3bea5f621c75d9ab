"""The page reader against SQLite itself: same numbers, or it declines."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Optional

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_perf_lab.trace.sqlite.columns import NumericReader, Table, connect
from rocm_perf_lab.trace.sqlite.mapped import PageFile
from rocm_perf_lab.trace.sqlite.pages import TablePages
from rocm_perf_lab.trace.sqlite.stored import PagesUnsupported, StoredColumn

# Boundaries of every width in which SQLite stores an integer, and the constants 0 and 1.
EDGES = [0, 1, -1] + [
    sign * ((1 << bits) + delta)
    for bits in (7, 8, 15, 16, 23, 24, 31, 32, 47, 48, 62)
    for delta in (-1, 0, 1)
    for sign in (1, -1)
]
EDGES += [(1 << 63) - 1, -(1 << 63)]
integers = st.one_of(st.none(), st.sampled_from(EDGES), st.integers(-(1 << 63), (1 << 63) - 1))
reals = st.one_of(st.none(), st.floats(allow_nan=False), st.integers(-1000, 1000).map(float))
rows = st.lists(st.tuples(integers, st.text(max_size=14), integers, reals), max_size=120)


def make(path: Path, page_size: int, values: list[tuple[object, ...]]) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA page_size = {page_size}")
    connection.execute(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a BIGINT, name TEXT, b INTEGER, r REAL)"
    )
    connection.executemany("INSERT INTO t (a, name, b, r) VALUES (?, ?, ?, ?)", values)
    connection.commit()
    return connection


def from_pages(path: Path, table: str = "t") -> Optional[dict[str, list[object]]]:
    """All numeric columns as Python lists with None for NULL; None when the pages decline."""
    connection = connect(path)
    root, info = (
        connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)),
        connection.execute(f"PRAGMA table_info({table})").fetchall(),
    )
    columns = [
        StoredColumn(name, position, kind == "REAL", bool(key), default)
        for position, name, kind, _notnull, default, key in info
        if kind != "TEXT"
    ]
    try:
        found = TablePages.below(PageFile(path), root.fetchone()[0]).read(columns)
    except PagesUnsupported:
        return None
    result: dict[str, list[object]] = {}
    for name, values in found.values.items():
        nulls = found.nulls.get(name, np.zeros(found.rows, dtype=bool))
        result[name] = [None if null else v for v, null in zip(values.tolist(), nulls.tolist())]
    return result


def from_sqlite(connection: sqlite3.Connection) -> dict[str, list[object]]:
    names = ("id", "a", "b", "r")
    fetched = connection.execute("SELECT id, a, b, r FROM t ORDER BY id").fetchall()
    return {name: [row[i] for row in fetched] for i, name in enumerate(names)}


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    values=rows,
    page_size=st.sampled_from([512, 1024, 4096, 65536]),
    deleted=st.integers(0, 5),
    vacuum=st.booleans(),
    repeat=st.integers(1, 20),
)
def test_random_tables_read_as_sqlite_reads_them(
    tmp_path: Path,
    values: list[tuple[object, ...]],
    page_size: int,
    deleted: int,
    vacuum: bool,
    repeat: int,
) -> None:
    path = tmp_path / "random.db"
    path.unlink(missing_ok=True)
    connection = make(path, page_size, values * repeat)
    if deleted:
        connection.execute("DELETE FROM t WHERE id % ? = 0", (deleted,))
        connection.commit()
    if vacuum:
        connection.execute("VACUUM")
    expected = from_sqlite(connection)
    connection.close()
    found = from_pages(path)
    assert found is not None
    assert found == expected


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    columns=st.lists(
        st.one_of(
            st.sampled_from([[edge] for edge in EDGES]),  # of one type in all rows
            st.lists(st.sampled_from([None, *EDGES]), min_size=2, max_size=5),
            st.sampled_from([["text"], ["", "longer", None], [0.5], [0.5, 2.0, None]]),
        ),
        min_size=1,
        max_size=12,
    ),
    damage=st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), max_size=3),
)
def test_columns_of_one_type_beside_columns_of_several(
    tmp_path: Path, columns: list[list[object]], damage: list[tuple[int, int]]
) -> None:
    """What is the same in all rows is read with a stride, and moves what differs behind it."""
    path = tmp_path / "mixed.db"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    kinds = [
        "TEXT" if "text" in c or "" in c else "REAL" if 0.5 in c else "BIGINT" for c in columns
    ]
    names = [f"c{place}" for place in range(len(columns))]
    described = ", ".join(f"{name} {kind}" for name, kind in zip(names, kinds))
    connection.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, {described})")
    rows = [tuple(values[row % len(values)] for values in columns) for row in range(150)]
    marks = ", ".join("?" * len(columns))
    connection.executemany(f"INSERT INTO t ({', '.join(names)}) VALUES ({marks})", rows)
    connection.commit()
    connection.close()
    expected = {"id": list(range(1, len(rows) + 1))} | {
        name: [row[place] for row in rows]
        for place, (name, kind) in enumerate(zip(names, kinds))
        if kind != "TEXT"
    }
    assert from_pages(path) == expected
    data = bytearray(path.read_bytes())
    for place, byte in damage:
        data[512 + place % (len(data) - 512)] = byte
    path.write_bytes(data)
    with contextlib.suppress(sqlite3.DatabaseError):
        from_pages(path)  # numbers, or None: nothing else may happen


def test_a_leaf_that_stands_in_the_tree_twice_is_left_to_sqlite(tmp_path: Path) -> None:
    """A damaged file: its rows would be there twice, and those of another leaf not at all."""
    path, page_size = tmp_path / "twice.db", 512
    connection = make(path, page_size, [(i, "x" * 20, i, 0.5) for i in range(200)])
    (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 't'").fetchone()
    connection.close()
    data = bytearray(path.read_bytes())
    page = (root - 1) * page_size
    assert data[page] == 5  # an interior page of a table
    first = page + int.from_bytes(data[page + 12 : page + 14], "big")  # its first cell
    data[page + 8 : page + 12] = data[first : first + 4]  # the right-most child is the first one
    assert from_pages(path) is not None
    path.write_bytes(data)
    assert from_pages(path) is None


@pytest.mark.parametrize("page_size", [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536])
def test_every_page_size_and_a_deep_tree(tmp_path: Path, page_size: int) -> None:
    count = 20_000
    values = [(EDGES[i % len(EDGES)], "x" * (i % 30), i * i * i, i / 3) for i in range(count)]
    connection = make(tmp_path / "deep.db", page_size, values)
    expected = from_sqlite(connection)
    connection.close()
    assert from_pages(tmp_path / "deep.db") == expected


def test_rows_older_than_an_added_column_get_its_default(tmp_path: Path) -> None:
    connection = make(tmp_path / "old.db", 4096, [(1, "x", 2, 0.5)] * 10)
    connection.execute("ALTER TABLE t ADD COLUMN later INTEGER NOT NULL DEFAULT 7")
    connection.execute("ALTER TABLE t ADD COLUMN empty INTEGER")
    connection.execute("INSERT INTO t (a, name, b, r, later, empty) VALUES (5, 'y', 6, 1.5, 8, 9)")
    connection.commit()
    connection.close()
    found = from_pages(tmp_path / "old.db")
    assert found is not None
    assert found["later"] == [7] * 10 + [8]
    assert found["empty"] == [None] * 10 + [9]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE t SET a = 'text' WHERE id = 5",
        "UPDATE t SET a = 1.5 WHERE id = 5",
        "UPDATE t SET a = x'00ff' WHERE id = 5",
        "UPDATE t SET name = printf('%.*c', 9000, 'x') WHERE id = 5",  # overflow pages
        "UPDATE t SET name = printf('%.*c', 70, 'x') WHERE id = 5",  # two bytes of serial type
        "ALTER TABLE t ADD COLUMN odd INTEGER DEFAULT 'no number'",
    ],
)
def test_declines_what_it_cannot_prove(tmp_path: Path, change: str) -> None:
    connection = make(tmp_path / "odd.db", 4096, [(1, "x", 2, 0.5)] * 10)
    connection.execute(change)
    connection.commit()
    connection.close()
    assert from_pages(tmp_path / "odd.db") is None


def test_what_is_not_an_integer_counts_as_null(tmp_path: Path) -> None:
    connection = make(tmp_path / "odd.db", 4096, [(1, "x", 2, 0.5)] * 3)
    connection.execute("UPDATE t SET a = 'text' WHERE id = 2")
    connection.commit()
    connection.close()
    reopened = connect(tmp_path / "odd.db")
    table = Table("t", ("id", "a", "name", "b", "r"))
    read = NumericReader(tmp_path / "odd.db", reopened).read(table, ("id", "a"), ("r",))
    assert read.values["id"].tolist() == [1, 2, 3]
    assert read.nulls["a"].tolist() == [False, True, False]
    assert read.values["r"].tolist() == [0.5] * 3


def test_rows_that_are_still_in_the_write_ahead_log_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "wal.db"
    connection = make(path, 4096, [(1, "x", 2, 0.5)])
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("INSERT INTO t (a, name, b, r) VALUES (11, 'y', 12, 0.25)")
    connection.commit()
    with pytest.raises(PagesUnsupported, match="write-ahead log"):
        PageFile(path)
    read = NumericReader(path, connect(path)).read(Table("t", ("id", "a")), ("a",))
    assert read.values["a"].tolist() == [1, 11]
    connection.close()


def test_a_loop_of_pages_is_refused(tmp_path: Path) -> None:
    """An interior page whose children are itself must not be walked for ever."""
    path = tmp_path / "loop.db"
    connection = make(path, 512, [(i, "x" * 20, i, 0.5) for i in range(500)])
    (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 't'").fetchone()
    connection.close()
    data = bytearray(path.read_bytes())
    start = (root - 1) * 512
    assert data[start] == 5  # interior
    data[start + 8 : start + 12] = root.to_bytes(4, "big")
    path.write_bytes(data)
    with pytest.raises(PagesUnsupported):
        TablePages.below(PageFile(path), root)


def test_without_rowid_tables_are_left_to_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (k TEXT PRIMARY KEY, a INTEGER) WITHOUT ROWID")
    connection.execute("INSERT INTO t VALUES ('x', 3)")
    connection.commit()
    connection.close()
    read = NumericReader(path, connect(path)).read(Table("t", ("k", "a")), ("a",))
    assert read.values["a"].tolist() == [3]
