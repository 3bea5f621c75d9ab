"""``_results.json`` of rocprofv3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fakes.small_files import document
from fakes.trace_samples import BASE, texts
from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import UNKNOWN


def write(folder: Path, content: Any) -> Path:
    path = folder / "42_results.json"
    path.write_text(json.dumps(content))
    return path


def test_everything_in_the_document_reaches_the_trace(tmp_path: Path) -> None:
    trace = load([write(tmp_path, document())])
    rows = trace.dispatches
    assert rows.duration.tolist() == [700]
    assert rows.grid.tolist() == [[512, 128, 1]]
    assert rows.block.tolist() == [[256, 1, 1]]
    assert (rows.lds[0], rows.scratch[0], rows.stack_id[0], rows.thread[0]) == (4096, 0, 11, 42)
    assert trace.agents[rows.agent[0]].id == 2
    assert trace.agents[rows.agent[0]].facts["cu_count"] == 304
    assert trace.queues[rows.queue[0]].id == 2
    assert trace.streams[rows.stream[0]].id == 3
    kernel = trace.kernels[rows.kernel[0]]
    assert (kernel.name, kernel.symbol, kernel.accum_vgpr) == ("gemm(float*)", "_Z4gemmPf.kd", 384)
    assert trace.code_objects[0].agent == 1
    assert trace.counters.value.tolist() == [16.0]
    assert texts(trace, trace.counters.name) == ["SQ_WAVES"]
    assert texts(trace, trace.api_calls.name) == ["hipLaunchKernel"]
    assert trace.api_calls.parent_stack_id.tolist() == [3]
    assert texts(trace, trace.markers.message) == ["step 1"]
    assert texts(trace, trace.copies.direction) == ["MEMORY_COPY_HOST_TO_DEVICE"]
    assert trace.copies.bytes.tolist() == [1024]
    assert texts(trace, trace.allocations.operation) == ["ALLOC"]
    assert texts(trace, trace.allocations.level) == ["VIRTUAL"]
    process = trace.processes[0]
    assert (process.pid, process.command, process.hostname) == (42, "./app 3", "box")
    assert trace.warnings == ()


def test_counters_alone_bring_their_dispatches(tmp_path: Path) -> None:
    content = document()
    process = content["rocprofiler-sdk-tool"][0]
    process["buffer_records"] = {}
    data = process["callback_records"]["counter_collection"][0]["dispatch_data"]
    data.update(start_timestamp=BASE, end_timestamp=BASE + 5)
    trace = load([write(tmp_path, content)])
    assert trace.dispatches.duration.tolist() == [5]
    assert trace.counters.value.tolist() == [16.0]


def test_several_processes(tmp_path: Path) -> None:
    content = document()
    content["rocprofiler-sdk-tool"] *= 2
    trace = load([write(tmp_path, content)])
    assert trace.dispatches.process.tolist() == [0, 1]


def test_an_unknown_kernel_keeps_its_dispatch(tmp_path: Path) -> None:
    content = document()
    content["rocprofiler-sdk-tool"][0]["kernel_symbols"] = []
    trace = load([write(tmp_path, content)])
    assert len(trace.dispatches) == 1
    assert "not recorded" in trace.kernels[trace.dispatches.kernel[0]].name
    assert trace.warnings


@pytest.mark.parametrize("value", [None, [], {}, "x", 3, [None], [[]], {"handle": "x"}, True])
def test_values_of_an_unexpected_type_count_as_not_recorded(tmp_path: Path, value: Any) -> None:
    """Whatever stands at any place of the document, there is no other error than ours."""
    for key in document()["rocprofiler-sdk-tool"][0]:
        content = document()
        content["rocprofiler-sdk-tool"][0][key] = value
        trace = load([write(tmp_path, content)])
        assert len(trace.processes) == 1
    content = document()
    dispatch = content["rocprofiler-sdk-tool"][0]["buffer_records"]["kernel_dispatch"][0]
    dispatch["dispatch_info"]["agent_id"] = value
    trace = load([write(tmp_path, content)])
    assert trace.dispatches.agent.tolist() == [UNKNOWN]


def test_a_document_that_ends_too_early(tmp_path: Path) -> None:
    path = write(tmp_path, document())
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(RecordingError, match="not complete JSON"):
        load([path])


def test_json_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="a trace in Chrome's format by another tool"):
        load([write(tmp_path, {"traceEvents": []})])
    with pytest.raises(RecordingError, match="not a rocprofv3 recording"):
        load([write(tmp_path, {"rocprofiler-sdk-tool": [3]})])
