"""What is written as rocprofv3's JSON is read back as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from fakes.trace_samples import BASE, assert_equal_tables, sample_builder, sample_trace, texts
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import Trace
from rocm_perf_lab.trace.rocprof_json.writer import write_json

OTHER_GUID = "11113fdc-92cb-72cb-9169-c7e541b1fcdf"


def through_json(trace: Trace, folder: Path) -> Trace:
    write_json(trace, folder / "run_results.json")
    return load([folder / "run_results.json"])


def test_json_keeps_everything_but_arguments(tmp_path: Path) -> None:
    trace = sample_trace()
    read = through_json(trace, tmp_path)
    assert read.kernels == trace.kernels
    assert read.code_objects == trace.code_objects
    assert [(a.id, a.kind, a.name, a.product) for a in read.agents] == [
        (a.id, a.kind, a.name, a.product) for a in trace.agents
    ]
    assert read.gpu_agents[0].facts["cu_count"] == 304
    by_index = ("queue", "stream")  # they count only what rows name
    assert_equal_tables(read.dispatches, trace.dispatches, without=by_index)
    for column, records in zip(by_index, ("queues", "streams")):
        left = [getattr(read, records)[i].id for i in getattr(read.dispatches, column)]
        assert left == [getattr(trace, records)[i].id for i in getattr(trace.dispatches, column)]
    assert_equal_tables(read.copies, trace.copies, without=("direction", "stream"))
    assert_equal_tables(read.allocations, trace.allocations, without=("operation", "level"))
    assert_equal_tables(read.api_calls, trace.api_calls, without=("name", "category", "event_id"))
    assert_equal_tables(read.markers, trace.markers, without=("message",))
    assert read.processes[0].command == "./app --size 3"
    assert read.warnings == ()


def test_names_survive(tmp_path: Path) -> None:
    trace = sample_trace()
    read = through_json(trace, tmp_path)
    for table, column in [
        ("copies", "direction"),
        ("allocations", "operation"),
        ("allocations", "level"),
        ("api_calls", "name"),
        ("api_calls", "category"),
        ("markers", "message"),
        ("counters", "name"),
    ]:
        left = texts(read, getattr(getattr(read, table), column))
        assert left == texts(trace, getattr(getattr(trace, table), column)), column


def test_counters_survive_without_doubling_dispatches(tmp_path: Path) -> None:
    trace = sample_trace()
    read = through_json(trace, tmp_path)
    assert read.counters.dispatch.tolist() == trace.counters.dispatch.tolist()
    assert read.counters.value.tolist() == trace.counters.value.tolist()
    assert len(read.dispatches) == 3


@pytest.mark.parametrize(
    ("operation", "level"),
    [
        ("ALLOC", "REAL"),
        ("FREE", "REAL"),
        ("ALLOC", "VIRTUAL"),
        ("FREE", "VIRTUAL"),
        ("ALLOC", "SCRATCH"),
        ("FREE", "SCRATCH"),
        ("RECLAIM", "SCRATCH"),
    ],
)
def test_kinds_of_allocations_survive(tmp_path: Path, operation: str, level: str) -> None:
    builder = sample_builder()
    builder.add_allocation(
        start=BASE, end=BASE + 1, operation=operation, level=level, size=64, agent_id=4
    )
    read = through_json(builder.build(), tmp_path)
    assert texts(read, read.allocations.operation) == [operation]
    assert texts(read, read.allocations.level) == [level]


def test_what_is_unknown_stays_unknown(tmp_path: Path) -> None:
    builder = sample_builder()
    builder.add_dispatch(start=BASE, end=BASE + 1, kernel=0, agent_id=99, dispatch_id=1)
    trace = builder.build()
    assert_equal_tables(through_json(trace, tmp_path).dispatches, trace.dispatches)


def test_several_processes(tmp_path: Path) -> None:
    both = merge([sample_trace(), sample_trace(pid=4243, guid=OTHER_GUID)], "both")
    read = through_json(both, tmp_path)
    assert [process.pid for process in read.processes] == [4242, 4243]
    assert read.dispatches.process.tolist() == [0] * 3 + [1] * 3


def test_a_failing_write_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError):
        write_json(sample_trace(), tmp_path / "taken")
    assert os.listdir(tmp_path) == ["taken"]


def test_the_document_has_the_shape_that_other_readers_expect(tmp_path: Path) -> None:
    write_json(sample_trace(), tmp_path / "x.json")
    (process,) = json.loads((tmp_path / "x.json").read_text())["rocprofiler-sdk-tool"]
    assert process["metadata"]["pid"] == 4242
    dispatch = process["buffer_records"]["kernel_dispatch"][1]
    assert dispatch["dispatch_info"]["grid_size"] == {"x": 512, "y": 128, "z": 1}
    assert dispatch["correlation_id"]["internal"] == 101
    kinds = process["strings"]["buffer_records"]
    assert kinds[dispatch["kind"]]["kind"] == "KERNEL_DISPATCH"
