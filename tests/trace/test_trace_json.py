"""``_results.json`` of rocprofv3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from trace_samples import BASE, texts

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import UNKNOWN

AGENT = 5600  # rocprofiler names agents by a handle, not by the node


def document() -> dict[str, Any]:
    info = {
        "agent_id": {"handle": AGENT},
        "queue_id": {"handle": 2},
        "kernel_id": 1,
        "dispatch_id": 1,
        "group_segment_size": 4096,
        "private_segment_size": 0,
        "workgroup_size": {"x": 256, "y": 1, "z": 1},
        "grid_size": {"x": 512, "y": 128, "z": 1},
    }
    times = {"start_timestamp": BASE, "end_timestamp": BASE + 700}
    correlation = {"internal": 11, "external": {"value": 0}, "ancestor": 3}
    call = {**times, "thread_id": 42, "correlation_id": correlation}
    process = {
        "metadata": {"pid": 42, "command": ["./app", "3"], "node": {"hostname": "box"}},
        "agents": [
            {"id": {"handle": 1}, "node_id": 0, "type": 1, "name": "EPYC"},
            {
                "id": {"handle": AGENT},
                "node_id": 2,
                "type": 2,
                "name": "gfx942",
                "product_name": "AMD Instinct MI300X",
                "logical_node_type_id": 0,
                "cu_count": 304,
            },
        ],
        "counters": [{"id": {"handle": 9}, "name": "SQ_WAVES"}],
        "strings": {
            "buffer_records": [
                {"kind": "NONE", "operations": []},
                {"kind": "HIP_RUNTIME_API_EXT", "operations": ["hipMemset", "hipLaunchKernel"]},
                {"kind": "MEMORY_COPY", "operations": ["MEMORY_COPY_HOST_TO_DEVICE"]},
                {"kind": "MARKER_CORE_RANGE_API", "operations": ["roctxThreadRangeA"]},
                {"kind": "MEMORY_ALLOCATION", "operations": ["MEMORY_ALLOCATION_VMEM_ALLOCATE"]},
            ],
            "marker_api": [{"key": 11, "value": "step 1"}],
        },
        "code_objects": [
            {"code_object_id": 1, "rocp_agent": {"handle": AGENT}, "uri": "file:///app"}
        ],
        "kernel_symbols": [
            {"kernel_id": 0},
            {
                "kernel_id": 1,
                "code_object_id": 1,
                "kernel_name": "_Z4gemmPf.kd",
                "formatted_kernel_name": "gemm(float*)",
                "arch_vgpr_count": 128,
                "accum_vgpr_count": 384,
                "sgpr_count": 112,
            },
        ],
        "callback_records": {
            "counter_collection": [
                {
                    "thread_id": 42,
                    "dispatch_data": {"dispatch_info": info, "correlation_id": correlation},
                    "records": [{"counter_id": {"handle": 9}, "value": v} for v in (10.0, 6.0)],
                }
            ]
        },
        "buffer_records": {
            "kernel_dispatch": [{**call, "dispatch_info": info, "stream_id": {"handle": 3}}],
            "hip_api": [{**call, "kind": 1, "operation": 1}],
            "marker_api": [{**call, "kind": 3, "operation": 0}],
            "memory_copy": [
                {
                    **call,
                    "kind": 2,
                    "operation": 0,
                    "bytes": 1024,
                    "src_agent_id": {"handle": 1},
                    "dst_agent_id": {"handle": AGENT},
                }
            ],
            "memory_allocation": [
                {
                    **call,
                    "kind": 4,
                    "operation": 0,
                    "allocation_size": 64,
                    "address": {"handle": 4096},
                    "agent_id": {"handle": AGENT},
                }
            ],
        },
    }
    return {"rocprofiler-sdk-tool": [process]}


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
