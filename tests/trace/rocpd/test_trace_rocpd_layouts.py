"""Databases of other writers, other schema versions, and with rows that do not fit together."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from fakes.trace_samples import BASE, GUID, assert_equal_tables, sample_trace, texts
from rocm_perf_lab.trace.files.parts import Parts
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import UNKNOWN, Trace
from rocm_perf_lab.trace.rocpd.writer import write_rocpd
from rocm_perf_lab.trace.sqlite.stored import PagesUnsupported

SUFFIX = "_" + GUID.replace("-", "_")
DISPATCHES = f"rocpd_kernel_dispatch{SUFFIX}"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "run_results.db"
    write_rocpd(sample_trace(), path)
    return path


def change(path: Path, *statements: str) -> Trace:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return load([path])


def as_bare_tables(path: Path, *, keep_key: bool = True) -> sqlite3.Connection:
    """Replace suffixed tables by tables of the bare name, as other writers have them."""
    connection = sqlite3.connect(path)
    views = [n for (n,) in connection.execute("SELECT name FROM sqlite_master WHERE type='view'")]
    for view in views:
        connection.execute(f"DROP VIEW {view}")
    tables = connection.execute(
        f"SELECT name FROM sqlite_master WHERE type='table' AND name LIKE '%{SUFFIX}'"
    ).fetchall()
    for (table,) in tables:
        bare = table[: -len(SUFFIX)]
        if keep_key:
            connection.execute(f"ALTER TABLE {table} RENAME TO {bare}")
        else:
            connection.execute(f"CREATE TABLE {bare} AS SELECT * FROM {table}")
            connection.execute(f"DROP TABLE {table}")
    connection.commit()
    return connection


def test_bare_tables(database: Path) -> None:
    as_bare_tables(database).close()
    trace = load([database])
    assert trace.dispatches.duration.tolist() == [700, 701, 702]
    assert trace.processes[0].guid == GUID
    assert trace.warnings == ()


def test_several_processes_in_bare_tables_are_kept_apart(database: Path) -> None:
    connection = as_bare_tables(database, keep_key=False)
    other = "other-process"
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall()
    for (table,) in tables:
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        if "guid" in names:
            chosen = ", ".join(f"'{other}'" if n == "guid" else f'"{n}"' for n in names)
            connection.execute(f"INSERT INTO {table} SELECT {chosen} FROM {table}")
    connection.execute(
        "UPDATE rocpd_info_kernel_symbol SET display_name = 'theirs' "
        f"WHERE guid = '{other}' AND id = 7"
    )
    connection.commit()
    trace = load([database])
    assert [process.guid for process in trace.processes] == [GUID, other]
    names = [trace.kernels[index].name for index in trace.dispatches.kernel]
    assert names == [
        "__amd_rocclr_fillBuffer",
        "gemm(float*)",
        "gemm(float*)",
        "__amd_rocclr_fillBuffer",
        "theirs",
        "theirs",
    ]
    assert len(trace.counters) == 12
    assert [len(trace.api_arguments(row)) for row in range(6)] == [2] * 6
    assert trace.warnings == ()


def test_ids_that_stand_twice_are_left_out_with_a_warning(database: Path) -> None:
    connection = as_bare_tables(database, keep_key=False)
    connection.execute(
        "INSERT INTO rocpd_kernel_dispatch SELECT * FROM rocpd_kernel_dispatch WHERE id = 2"
    )
    connection.commit()
    trace = load([database])
    assert trace.dispatches.dispatch_id.tolist() == [1, 2, 3]
    assert any("left out 1 rows of rocpd_kernel_dispatch" in text for text in trace.warnings)


def to_timestamps_by_track(path: Path) -> None:
    """Turn a database into the layout with ``rocpd_timestamp`` and ``rocpd_track``."""
    connection = sqlite3.connect(path)
    views = [n for (n,) in connection.execute("SELECT name FROM sqlite_master WHERE type='view'")]
    for view in views:
        connection.execute(f"DROP VIEW {view}")
    s = SUFFIX
    connection.executescript(f"""
        CREATE TABLE rocpd_timestamp{s} (id INTEGER PRIMARY KEY, guid TEXT, value BIGINT,
            phase INTEGER, track_id INTEGER);
        DROP TABLE rocpd_track{s};
        CREATE TABLE rocpd_track{s} (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER,
            tid INTEGER, agent_id INTEGER, queue_id INTEGER, stream_id INTEGER, name_id INTEGER);
        CREATE TABLE rocpd_info_category{s} (id INTEGER PRIMARY KEY, guid TEXT, name TEXT);
        INSERT INTO rocpd_info_category{s} SELECT id, guid, string FROM rocpd_string{s};
    """)
    has_agent = {"rocpd_kernel_dispatch": "agent_id, queue_id, stream_id"}
    has_agent["rocpd_memory_copy"] = "NULL, NULL, stream_id"
    has_agent["rocpd_memory_allocate"] = "agent_id, NULL, NULL"
    for number, table in enumerate(
        ("rocpd_kernel_dispatch", "rocpd_memory_copy", "rocpd_memory_allocate", "rocpd_region")
    ):
        shift = 1000 * (number + 1)
        place = has_agent.get(table, "NULL, NULL, NULL")
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table}{s})")]
        gone = ("start", "end", "nid", "pid", "tid", "queue_id", "stream_id", "agent_id")
        kept = ", ".join(f'"{name}"' for name in names if name not in gone)
        connection.executescript(f"""
            INSERT INTO rocpd_track{s} SELECT id + {shift}, guid, nid, pid, tid, {place}, NULL
                FROM {table}{s};
            INSERT INTO rocpd_timestamp{s} SELECT 2 * id + {shift}, guid, start, 1, id + {shift}
                FROM {table}{s};
            INSERT INTO rocpd_timestamp{s} SELECT 2 * id + {shift} + 1, guid, end, 2, id + {shift}
                FROM {table}{s};
            CREATE TABLE new AS SELECT {kept}, id + {shift} AS track_id,
                2 * id + {shift} AS start_id, 2 * id + {shift} + 1 AS end_id FROM {table}{s};
            DROP TABLE {table}{s};
            ALTER TABLE new RENAME TO {table}{s};
        """)
    connection.commit()
    connection.close()


def test_timestamps_by_track(database: Path) -> None:
    inline = load([database])
    to_timestamps_by_track(database)
    trace = load([database])
    assert trace.warnings == ()
    for column in ("start", "end", "thread", "kernel", "agent", "queue", "stream", "stack_id"):
        assert (
            getattr(trace.dispatches, column).tolist()
            == getattr(inline.dispatches, column).tolist()
        ), column
    assert trace.copies.start.tolist() == inline.copies.start.tolist()
    assert trace.copies.stream.tolist() == inline.copies.stream.tolist()
    assert trace.allocations.agent.tolist() == inline.allocations.agent.tolist()
    assert texts(trace, trace.api_calls.category) == texts(inline, inline.api_calls.category)
    assert trace.api_calls.thread.tolist() == inline.api_calls.thread.tolist()
    assert texts(trace, trace.markers.message) == ["step 1"]
    assert len(trace.counters) == len(inline.counters)


def test_a_timestamp_that_is_missing_leaves_the_row_out(database: Path) -> None:
    to_timestamps_by_track(database)
    trace = change(database, f"DELETE FROM rocpd_timestamp{SUFFIX} WHERE id = 1002")
    assert len(trace.dispatches) == 2
    assert any("left out 1 rows of rocpd_kernel_dispatch" in text for text in trace.warnings)


def test_streaming_counter_samples_are_no_totals(database: Path) -> None:
    """Schema 3.0.3 puts points of a series into the same table, marked by a sample id."""
    before = load([database]).counters.value.tolist()
    trace = change(
        database,
        f"ALTER TABLE rocpd_pmc_event{SUFFIX} ADD COLUMN sample_id INTEGER",
        f"INSERT INTO rocpd_pmc_event{SUFFIX} (event_id, pmc_id, value, sample_id) "
        f"SELECT event_id, pmc_id, 5.0, 1 FROM rocpd_pmc_event{SUFFIX}",
    )
    assert trace.counters.value.tolist() == before


def test_instances_of_a_counter_are_summed(database: Path) -> None:
    trace = change(
        database,
        f"INSERT INTO rocpd_pmc_event{SUFFIX} (event_id, pmc_id, value) "
        f"SELECT event_id, pmc_id, value FROM rocpd_pmc_event{SUFFIX}",
    )
    waves = trace.strings.index("SQ_WAVES")
    assert trace.counters.value[trace.counters.name == waves].tolist() == [2048, 4096, 6144]


def test_counters_that_belong_to_nothing_are_named(database: Path) -> None:
    trace = change(
        database,
        f"UPDATE rocpd_pmc_event{SUFFIX} SET event_id = 99999 WHERE id = 1",
        f"UPDATE rocpd_pmc_event{SUFFIX} SET value = NULL WHERE id = 2",
        f"UPDATE rocpd_pmc_event{SUFFIX} SET pmc_id = 99999 WHERE id = 3",
    )
    assert len(trace.counters) == 3
    assert any("left out 3 counter values" in text for text in trace.warnings)


def test_a_counter_without_event_does_not_meet_a_dispatch_without_event(database: Path) -> None:
    trace = change(
        database,
        f"UPDATE rocpd_pmc_event{SUFFIX} SET event_id = NULL",
        f"UPDATE {DISPATCHES} SET event_id = NULL",
    )
    assert len(trace.dispatches) == 3
    assert len(trace.counters) == 0


def test_events_of_a_newer_schema_do_not_disturb(database: Path) -> None:
    trace = change(
        database,
        f"CREATE TABLE rocpd_hip_event{SUFFIX} (id INTEGER PRIMARY KEY, guid TEXT, what BLOB)",
        f"CREATE VIEW rocpd_hip_event AS SELECT * FROM rocpd_hip_event{SUFFIX}",
        "CREATE VIEW rocpd_broken AS SELECT * FROM not_there",
    )
    assert len(trace.dispatches) == 3
    assert trace.warnings == ()


def test_a_missing_kernel_symbol_does_not_drop_dispatches(database: Path) -> None:
    trace = change(database, f"DELETE FROM rocpd_info_kernel_symbol{SUFFIX} WHERE id = 7")
    assert len(trace.dispatches) == 3
    placeholder = trace.kernels[trace.dispatches.kernel[1]]
    assert placeholder.id == 7
    assert "not recorded" in placeholder.name
    assert placeholder.arch_vgpr is None
    assert any("2 dispatches name 1 kernels" in text for text in trace.warnings)


def test_missing_partners_of_every_kind(database: Path) -> None:
    """AMD's own view would show no dispatch at all of such a database."""
    trace = change(
        database,
        f"DELETE FROM rocpd_info_agent{SUFFIX}",
        f"DELETE FROM rocpd_info_queue{SUFFIX}",
        f"DELETE FROM rocpd_info_thread{SUFFIX}",
        f"DELETE FROM rocpd_event{SUFFIX}",
        f"DELETE FROM rocpd_string{SUFFIX}",
        f"DELETE FROM rocpd_info_process{SUFFIX}",
    )
    assert trace.dispatches.duration.tolist() == [700, 701, 702]
    assert (trace.dispatches.agent == UNKNOWN).all()
    assert (trace.dispatches.stack_id == UNKNOWN).all()
    assert {trace.queues[index].id for index in trace.dispatches.queue} == {16}
    assert trace.processes[0].pid == UNKNOWN
    assert any("name an agent" in text for text in trace.warnings)


def test_durations_that_make_no_sense_are_left_out(database: Path) -> None:
    trace = change(
        database,
        f"UPDATE {DISPATCHES} SET end = start - 1 WHERE id = 1",
        f"UPDATE {DISPATCHES} SET end = 'soon' WHERE id = 2",
    )
    assert trace.dispatches.dispatch_id.tolist() == [3]
    assert any("left out 2 rows of rocpd_kernel_dispatch" in text for text in trace.warnings)
    assert len(trace.counters) == 2


def test_text_that_is_not_utf8(database: Path) -> None:
    trace = change(
        database,
        f"UPDATE rocpd_info_kernel_symbol{SUFFIX} SET display_name = CAST(x'67ff65' AS TEXT)",
        f"UPDATE rocpd_info_agent{SUFFIX} SET extdata = CAST(x'7bff' AS TEXT)",
    )
    assert trace.kernels[0].name == "g\N{REPLACEMENT CHARACTER}e [_Z4gemmPf]"  # all have it
    assert trace.gpu_agents[0].facts == {}


def test_marks_are_read_from_samples(database: Path) -> None:
    """rocprofv3 writes calls without a duration, such as roctxMark, as samples of a track."""
    trace = change(
        database,
        f"INSERT INTO rocpd_track{SUFFIX} (id, nid, pid, tid) VALUES (5, 1, 4242, 77)",
        f"INSERT INTO rocpd_event{SUFFIX} (id, category_id, extdata) SELECT 900, id, "
        f'\'{{"message": "here"}}\' FROM rocpd_string{SUFFIX} '
        "WHERE string = 'MARKER_CORE_RANGE_API'",
        f"INSERT INTO rocpd_sample{SUFFIX} (track_id, timestamp, event_id) VALUES (5, {BASE}, 900)",
    )
    assert texts(trace, trace.markers.message) == ["step 1", "here"]
    assert trace.markers.thread.tolist() == [4242, 77]
    assert trace.markers.end[1] == BASE


def test_parts_that_are_not_asked_for_stay_empty(database: Path) -> None:
    trace = load([database], parts=Parts.DISPATCHES)
    assert trace.dispatches.duration.tolist() == [700, 701, 702]
    assert (trace.dispatches.stack_id == UNKNOWN).all()
    for table in (trace.copies, trace.allocations, trace.api_calls, trace.markers, trace.counters):
        assert len(table) == 0
    linked = load([database], parts=Parts.LINKS)
    assert linked.dispatches.stack_id.tolist() == [100, 101, 102]


def test_sqlite_itself_gives_the_same_trace(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the pages cannot be decoded, the slower way must not tell another story."""
    from_pages = load([database])

    def decline(_path: Path) -> None:
        raise PagesUnsupported("for this test")

    monkeypatch.setattr("rocm_perf_lab.trace.sqlite.columns.PageFile", decline)
    from_sqlite = load([database])
    assert from_sqlite.strings == from_pages.strings
    for table in ("dispatches", "copies", "allocations", "api_calls", "markers", "counters"):
        assert_equal_tables(getattr(from_sqlite, table), getattr(from_pages, table))
