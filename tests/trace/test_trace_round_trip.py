"""What is written as a database or as CSV is read back as it was."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.trace_samples import (
    BASE,
    GUID,
    assert_equal_tables,
    sample_builder,
    sample_trace,
    texts,
)
from rocm_perf_lab.trace.csv.writer import write_csv
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.rocpd.writer import write_rocpd

OTHER_GUID = "11113fdc-92cb-72cb-9169-c7e541b1fcdf"


def through_database(trace: Trace, folder: Path) -> Trace:
    write_rocpd(trace, folder / "run_results.db")
    return load([folder / "run_results.db"])


def assert_same_records(actual: Trace, expected: Trace) -> None:
    for name in ("agents", "kernels", "queues", "streams", "code_objects"):
        assert getattr(actual, name) == getattr(expected, name), name


def assert_same_texts(actual: Trace, expected: Trace) -> None:
    for table, column in [
        ("copies", "direction"),
        ("allocations", "operation"),
        ("allocations", "level"),
        ("api_calls", "name"),
        ("api_calls", "category"),
        ("markers", "message"),
        ("counters", "name"),
    ]:
        left = texts(actual, getattr(getattr(actual, table), column))
        assert left == texts(expected, getattr(getattr(expected, table), column)), column


def counters_of(trace: Trace) -> dict[tuple[int, str], float]:
    counters = trace.counters
    return {
        (int(row), trace.strings[name]): float(value)
        for row, name, value in zip(counters.dispatch, counters.name, counters.value)
    }


def test_a_database_keeps_everything(tmp_path: Path) -> None:
    trace = sample_trace()
    read = through_database(trace, tmp_path)
    assert_same_records(read, trace)
    assert_same_texts(read, trace)
    assert_equal_tables(read.dispatches, trace.dispatches)
    assert_equal_tables(read.copies, trace.copies, without=("direction",))
    assert_equal_tables(read.allocations, trace.allocations, without=("operation", "level"))
    assert_equal_tables(read.api_calls, trace.api_calls, without=("name", "category", "event_id"))
    assert_equal_tables(read.markers, trace.markers, without=("message",))
    assert counters_of(read) == counters_of(trace)
    assert [read.api_arguments(row) for row in range(3)] == [
        trace.api_arguments(row) for row in range(3)
    ]
    assert read.processes[0].guid == GUID
    assert read.processes[0].command == "./app --size 3"
    assert read.warnings == ()


def test_csv_keeps_what_it_has_columns_for(tmp_path: Path) -> None:
    trace = sample_trace()
    files = write_csv(trace, tmp_path)
    assert {file.name for file in files} == {
        f"4242_{kind}.csv"
        for kind in (
            "agent_info",
            "kernel_trace",
            "counter_collection",
            "memory_copy_trace",
            "memory_allocation_trace",
            "marker_api_trace",
            "hip_api_trace",
        )
    }
    read = load([tmp_path])
    assert_same_texts(read, trace)
    # Indexes count only the queues, streams and kernels that rows name.
    by_index = ("kernel", "queue", "stream")
    assert_equal_tables(read.dispatches, trace.dispatches, without=by_index)
    for column, records in zip(by_index, ("kernels", "queues", "streams")):
        left = [getattr(read, records)[i].id for i in getattr(read.dispatches, column)]
        right = [getattr(trace, records)[i].id for i in getattr(trace.dispatches, column)]
        assert left == right
    assert counters_of(read) == counters_of(trace)
    assert read.copies.start.tolist() == trace.copies.start.tolist()
    assert read.allocations.address.tolist() == trace.allocations.address.tolist()
    assert [agent.facts["cu_count"] for agent in read.gpu_agents] == [304]
    assert read.warnings == ()


def test_both_ways_tell_the_same_story(tmp_path: Path) -> None:
    trace = sample_trace()
    write_csv(trace, tmp_path / "csv")
    from_csv = load([tmp_path / "csv"])
    from_database = through_database(trace, tmp_path)
    assert from_csv.dispatches.duration.tolist() == from_database.dispatches.duration.tolist()
    assert counters_of(from_csv) == counters_of(from_database)


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 1 << 55),
            st.integers(0, 1 << 40),
            st.sampled_from([7, 9, 1234]),
            st.sampled_from([0, 3, 1 << 50]),
            st.integers(-1, 1 << 20),
        ),
        max_size=30,
    )
)
def test_any_dispatches_survive_a_database(
    tmp_path: Path, rows: list[tuple[int, int, int, int, int]]
) -> None:
    builder = sample_builder()
    for number, (start, duration, kernel, stream, lds) in enumerate(rows):
        builder.add_dispatch(
            start=start,
            end=start + duration,
            kernel=builder.kernel_of_id(kernel),
            agent_id=4,
            dispatch_id=number * 3,
            stream_id=stream,
            lds=lds,
            grid=(lds, 1, 1 << 31),
        )
    trace = builder.build()
    read = through_database(trace, tmp_path)
    assert_equal_tables(read.dispatches, trace.dispatches)
    assert_same_records(read, trace)


def test_dispatches_keep_their_order_when_ids_do_not_ascend(tmp_path: Path) -> None:
    builder = sample_builder()
    for dispatch_id in (5, 2, 9):
        builder.add_dispatch(
            start=BASE, end=BASE + dispatch_id, kernel=0, agent_id=4, dispatch_id=dispatch_id
        )
    read = through_database(builder.build(), tmp_path)
    assert read.dispatches.dispatch_id.tolist() == [5, 2, 9]


def test_graph_ids_raise_the_schema_version(tmp_path: Path) -> None:
    builder = sample_builder()
    builder.add_dispatch(
        start=BASE, end=BASE + 1, kernel=0, agent_id=4, dispatch_id=1, graph_exec=77
    )
    read = through_database(builder.build(), tmp_path)
    assert read.dispatches.graph_exec.tolist() == [77]
    database = sqlite3.connect(tmp_path / "run_results.db")
    (version,) = database.execute(
        "SELECT value FROM rocpd_metadata WHERE tag = 'schema_version'"
    ).fetchone()
    assert version == "3.0.2"


def test_two_processes_in_one_database(tmp_path: Path) -> None:
    first, second = sample_trace(), sample_trace(pid=4243, guid=OTHER_GUID)
    both = merge([first, second], "both")
    read = through_database(both, tmp_path)
    assert [process.pid for process in read.processes] == [4242, 4243]
    assert read.dispatches.process.tolist() == [0] * 3 + [1] * 3
    assert [read.agents[index].process for index in read.dispatches.agent] == [0] * 3 + [1] * 3
    assert [read.kernels[index].id for index in read.dispatches.kernel] == [9, 7, 7] * 2
    assert len(read.counters) == 12
    assert read.counters.dispatch.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert read.api_arguments(5) == second.api_arguments(2)
    assert_same_texts(read, both)


def test_the_views_of_a_written_database_answer(tmp_path: Path) -> None:
    through_database(sample_trace(), tmp_path)
    database = sqlite3.connect(tmp_path / "run_results.db")
    database.row_factory = sqlite3.Row
    kernels = database.execute("SELECT * FROM kernels ORDER BY start").fetchall()
    assert [row["name"] for row in kernels] == ["__amd_rocclr_fillBuffer"] + ["gemm(float*)"] * 2
    assert [row["duration"] for row in kernels] == [700, 701, 702]
    assert kernels[1]["vgpr_count"] == 128
    assert kernels[1]["stack_id"] == 101
    assert kernels[1]["category"] == "KERNEL_DISPATCH"
    top = database.execute("SELECT * FROM top_kernels").fetchall()
    assert (top[0]["name"], top[0]["total_calls"]) == ("gemm(float*)", 2)
    assert top[0]["total_duration"] == pytest.approx(1.403)  # microseconds
    counters = database.execute(
        "SELECT dispatch_id, value FROM counters_collection WHERE counter_name = 'SQ_WAVES'"
    ).fetchall()
    assert [tuple(row) for row in counters] == [(1, 1024.0), (2, 2048.0), (3, 3072.0)]
    (busy,) = database.execute("SELECT * FROM busy").fetchall()
    assert busy["GpuTime"] == 700 + 701 + 702 + 1000
    (copy,) = database.execute("SELECT * FROM memory_copies").fetchall()
    assert (copy["name"], copy["size"]) == ("MEMORY_COPY_HOST_TO_DEVICE", 1 << 20)
    regions = database.execute("SELECT name FROM regions ORDER BY start, id").fetchall()
    assert sorted(row["name"] for row in regions) == [
        "hipLaunchKernel",
        "hipLaunchKernel",
        "hipMemset",
        "roctxThreadRangeA",
    ]


def test_the_same_trace_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.db", "b.db"):
        write_rocpd(sample_trace(guid=""), tmp_path / name)
    assert (tmp_path / "a.db").read_bytes() == (tmp_path / "b.db").read_bytes()


def test_a_failing_write_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError):
        write_rocpd(sample_trace(), tmp_path / "taken")
    assert os.listdir(tmp_path) == ["taken"]


def test_columns_of_an_empty_trace_are_typed(tmp_path: Path) -> None:
    read = through_database(sample_builder().build(), tmp_path)
    assert len(read.dispatches) == 0
    assert read.dispatches.grid.shape == (0, 3)
    assert read.dispatches.start.dtype == np.int64


def test_a_process_without_a_proper_guid_gets_one(tmp_path: Path) -> None:
    """A guid becomes part of table names; what is not a UUID must not get there."""
    read = through_database(sample_trace(guid="x'; DROP TABLE rocpd_event; --"), tmp_path)
    assert len(read.dispatches) == 3
    assert read.processes[0].guid.count("-") == 4
