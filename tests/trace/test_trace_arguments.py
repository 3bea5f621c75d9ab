"""Arguments of many calls at once are those that one question after the other gives."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fakes.recordings import recording
from fakes.task_recordings import Recording
from rocm_perf_lab.trace.arguments import argument_columns
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.rocpd.arguments import RocpdArguments
from rocm_perf_lab.trace.rocpd.writer import write_rocpd

CALLS = 600  # several pages of arguments
NAMES = ("stream", "event", "absent")


def calls_with_arguments(seed: int, pid: int = 1) -> Trace:
    """Calls with none to nine arguments; one value needs a page of its own."""
    chance = random.Random(seed)
    record = Recording(pid)
    for number in range(CALLS):
        arguments = {f"a{n}": str(chance.random()) for n in range(chance.randint(0, 7))}
        if chance.random() < 0.7:
            arguments["stream"] = hex(chance.randint(1, 9))
        if chance.random() < 0.3:
            arguments["event"] = "x" * 6000 if number == 300 else str(number)
        record.call("hipAny", number * 10, number * 10 + 5, **arguments)
    record.kernel("k", 0, 10)
    return record.trace()


def expected(trace: Trace, rows: list[int]) -> dict[str, list[object]]:
    found = [{name: value for name, _, value in trace.api_arguments(row)} for row in rows]
    return {name: [arguments.get(name) for arguments in found] for name in NAMES}


def columns(trace: Trace, rows: list[int]) -> dict[str, list[object]]:
    found = argument_columns(trace.api_arguments, np.array(rows, dtype=np.int64), NAMES)
    texts = [*found.texts, None]  # UNKNOWN is the last one
    return {name: [texts[index] for index in found.columns[name]] for name in NAMES}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "1_results.db"
    write_rocpd(calls_with_arguments(1), path)
    return path


@pytest.mark.parametrize("chosen", [slice(0, 0), slice(7, 8), slice(3, None, 97), slice(None)])
def test_of_some_calls(database: Path, chosen: slice) -> None:
    original, read = calls_with_arguments(1), load([database])
    rows = list(range(CALLS))[chosen][::-1]  # in any order
    assert columns(read, rows) == expected(original, rows) == columns(original, rows)


def test_only_the_pages_of_these_calls_are_decoded(database: Path) -> None:
    trace, original = load([database]), calls_with_arguments(1)
    rows = [row for row in range(0, CALLS, 90) if original.api_arguments(row)]
    reader = trace.api_arguments
    assert isinstance(reader, RocpdArguments)
    columns(trace, rows)
    assert "_index" not in vars(reader), "the whole table was read"


def _shuffle(connection: sqlite3.Connection, table: str) -> None:
    rows = connection.execute(f"SELECT event_id, position, type, name, value FROM {table}")
    shuffled = rows.fetchall()
    random.Random(3).shuffle(shuffled)
    connection.execute(f"DELETE FROM {table}")
    names = "(event_id, position, type, name, value)"
    connection.executemany(f"INSERT INTO {table} {names} VALUES (?, ?, ?, ?, ?)", shuffled)


def _swap_within_a_page(connection: sqlite3.Connection, table: str) -> None:
    """The first rows of all pages still ascend, but two others do not."""
    first, last = connection.execute(f"SELECT MIN(id), MIN(id) + 9 FROM {table}").fetchone()
    events = dict(
        connection.execute(f"SELECT id, event_id FROM {table} WHERE id IN (?, ?)", (first, last))
    )
    for here, there in ((first + 1, last), (last, first)):
        event = events[there] if there in events else events[last]
        connection.execute(f"UPDATE {table} SET event_id = ? WHERE id = ?", (event, here))


@pytest.mark.parametrize("disorder", [_shuffle, _swap_within_a_page])
def test_rows_in_disorder(
    database: Path, disorder: Callable[[sqlite3.Connection, str], None]
) -> None:
    with sqlite3.connect(database) as connection:
        (table,) = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'rocpd_arg%'"
        ).fetchone()
        disorder(connection, table)
        connection.commit()
        stored: dict[int, dict[str, str]] = {}
        for event, name, value in connection.execute(
            f"SELECT event_id, name, value FROM {table} ORDER BY id DESC"
        ):
            stored.setdefault(event, {})[name] = value  # of a repeated name the first counts
    connection.close()
    trace = load([database])
    rows = list(range(CALLS))
    found = columns(trace, rows)
    for row in rows:
        arguments = stored.get(int(trace.api_calls.event_id[row]), {})
        for name in NAMES:
            assert found[name][row] == arguments.get(name), (row, name)


def test_of_merged_recordings(tmp_path: Path) -> None:
    traces = []
    for pid in (1, 2):
        write_rocpd(calls_with_arguments(pid, pid), tmp_path / f"{pid}_results.db")
        traces.append(load([tmp_path / f"{pid}_results.db"]))
    both = merge(traces, "both")
    rows = list(range(0, 2 * CALLS, 7))
    original = [calls_with_arguments(pid, pid) for pid in (1, 2)]
    wanted = [expected(original[row // CALLS], [row % CALLS]) for row in rows]
    assert columns(both, rows) == {name: [one[name][0] for one in wanted] for name in NAMES}


def test_of_the_recorded_gemm() -> None:
    trace = load([recording("mi300x-batched-gemm-trace")])
    rows = list(range(len(trace.api_calls)))
    assert columns(trace, rows) == expected(trace, rows)
    assert sum(value is not None for value in columns(trace, rows)["stream"]) > 150
