"""Bounds that decided times of the virtual device: kept by recordings, passed by where none are."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Callable

import numpy as np
import pytest
from msgspec.structs import replace

from fakes.trace_samples import GUID, sample_trace
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import TimeBounds, Trace
from rocm_perf_lab.trace.rocpd.writer import write_rocpd
from rocm_perf_lab.trace.rocprof_json.writer import write_json
from rocm_perf_lab.trace.selection import select_process

OTHER_GUID = "22223fdc-92cb-72cb-9169-c7e541b1fcdf"
BOUNDS = [(0, "vector", 1200), (2, "HBM", 900)]


def bounded_trace(guid: str = GUID) -> Trace:
    trace = sample_trace(guid=guid)
    first = len(trace.strings)
    bounds = TimeBounds(
        dispatch=np.array([row for row, _, _ in BOUNDS], dtype=np.int32),
        name=np.arange(first, first + len(BOUNDS), dtype=np.int32),
        simulated=np.array([simulated for _, _, simulated in BOUNDS], dtype=np.int64),
    )
    strings = (*trace.strings, *(name for _, name, _ in BOUNDS))
    return replace(trace, strings=strings, bounds=bounds)


def bounds_of(trace: Trace) -> list[tuple[int, str, int]]:
    bounds = trace.bounds
    return [
        (int(row), trace.strings[name], int(simulated))
        for row, name, simulated in zip(bounds.dispatch, bounds.name, bounds.simulated)
    ]


@pytest.mark.parametrize(
    ("write", "file"), [(write_rocpd, "run_results.db"), (write_json, "run_results.json")]
)
def test_a_recording_keeps_them(
    tmp_path: Path, write: Callable[[Trace, Path], None], file: str
) -> None:
    write(bounded_trace(), tmp_path / file)
    read = load([tmp_path / file])
    assert bounds_of(read) == BOUNDS
    assert read.warnings == ()


def test_they_lie_where_readers_of_databases_pass_by(tmp_path: Path) -> None:
    write_rocpd(bounded_trace(), tmp_path / "with.db")
    write_rocpd(sample_trace(), tmp_path / "without.db")
    with (
        sqlite3.connect(tmp_path / "with.db") as bounded,
        sqlite3.connect(tmp_path / "without.db") as plain,
    ):
        columns = "SELECT name FROM pragma_table_info('kernels')"
        assert bounded.execute(columns).fetchall() == plain.execute(columns).fetchall()
        query = "SELECT start, end, name FROM kernels ORDER BY start"
        assert bounded.execute(query).fetchall() == plain.execute(query).fetchall()
        events = """SELECT e.extdata FROM rocpd_kernel_dispatch k JOIN rocpd_event e
                    ON e.id = k.event_id ORDER BY k.dispatch_id"""
        notes = [json.loads(note) for (note,) in bounded.execute(events)]
    assert [note.get("bound", {}).get("name") for note in notes] == ["vector", None, "HBM"]


def test_malformed_notes_are_passed_by(tmp_path: Path) -> None:
    path = tmp_path / "run_results.db"
    write_rocpd(bounded_trace(), path)
    with sqlite3.connect(path) as database:
        (table,) = database.execute(
            "SELECT name FROM sqlite_master WHERE name LIKE 'rocpd_event_%' AND type = 'table'"
        ).fetchone()
        database.execute(f"UPDATE {table} SET extdata = '{{\"bound\": 3}}' WHERE extdata <> '{{}}'")
    assert bounds_of(load([path])) == []


def test_processes_keep_their_own() -> None:
    both = merge([sample_trace(), bounded_trace(OTHER_GUID)], "both")
    first = len(sample_trace().dispatches)
    assert bounds_of(both) == [(row + first, *rest) for row, *rest in BOUNDS]
    assert bounds_of(select_process(both, 1)) == BOUNDS
    assert bounds_of(select_process(both, 0)) == []
