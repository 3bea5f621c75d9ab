"""PyTorch traces: exact times, sizes, streams, launches, operators, lines; what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import zstandard

from fakes.kineto_samples import BASE, DEVICE, MI300X, PID, KinetoTrace, small_trace, to_text
from fakes.recordings import Known
from rocm_perf_lab.analysis.kernels.origins import origins_of
from rocm_perf_lab.analysis.path.critical_path import critical_paths
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.errors import RecordingError, UsageError
from rocm_perf_lab.trace.kineto.clock import nanoseconds
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.merge import merge
from rocm_perf_lab.trace.model import UNKNOWN, Trace
from rocm_perf_lab.trace.selection import select_process


@pytest.fixture
def small(tmp_path: Path) -> Trace:
    return load([small_trace().write(tmp_path / "trace.json")])


def test_times_keep_every_nanosecond(small: Trace) -> None:
    rows = small.dispatches
    assert (rows.start - BASE * 1000).tolist() == [12_001, 52_004, 92_010, 93_010]
    assert rows.duration.tolist() == [40_003, 40_001, 1000, 1000]
    assert [small.kernels[k].name for k in rows.kernel] == ["gemm", "gemm", "in_graph", "in_graph"]


def test_the_call_tells_the_unit_of_the_grid(small: Trace) -> None:
    assert small.dispatches.grid.tolist() == [
        [1024, 2, 1],  # hipExtModuleLaunchKernel counts work-items
        [1024, 2, 1],  # the others workgroups: 4 of 256
        [UNKNOWN] * 3,
        [UNKNOWN] * 3,
    ]
    assert small.dispatches.block[:2].tolist() == [[256, 1, 1]] * 2


def test_streams_devices_and_the_process(small: Trace) -> None:
    streams = [small.streams[s].id for s in small.dispatches.stream]
    assert streams == [0, 0, 3, 3]
    assert not any(stream.is_default for stream in small.streams)
    (gpu,) = small.gpu_agents
    assert (gpu.id, gpu.name, gpu.product) == (DEVICE, "gfx942", MI300X["name"])
    assert gpu.facts["cu_count"] == 304
    assert small.processes[0].pid == PID
    assert small.warnings == ()


def test_kernels_link_to_calls_also_through_a_graph(small: Trace) -> None:
    names = {
        int(stack): small.strings[name]
        for stack, name in zip(small.api_calls.stack_id, small.api_calls.name)
    }
    assert [names[int(stack)] for stack in small.dispatches.stack_id] == [
        "hipExtModuleLaunchKernel",
        "hipLaunchKernel",
        "hipGraphLaunch",
        "hipGraphLaunch",
    ]


def test_copies_and_annotations(small: Trace) -> None:
    assert small.strings[small.copies.direction[0]] == "MEMORY_COPY_DEVICE_TO_HOST"
    assert small.copies.bytes.tolist() == [256]
    assert small.copies.source_agent.tolist() == [0]
    assert small.copies.target_agent.tolist() == [UNKNOWN]
    assert [small.strings[m] for m in small.markers.message] == ["ProfilerStep#3"]


def test_operators_and_lines_behind_kernels(small: Trace) -> None:
    assert [small.strings[n] for n in small.operators.name] == ["aten::linear", "aten::addmm"]
    found = origins_of(small, {"gemm", "in_graph"})
    (gemm,) = found["gemm"]  # by its External id, and by time
    assert (gemm.operator, gemm.place) == ("aten::addmm", "train.py(10): step")
    assert (gemm.launches, gemm.total_ns) == (2, 80_004)
    (graph,) = found["in_graph"]
    assert (graph.operator, graph.place, graph.launches) == (None, "train.py(10): step", 2)


def test_origins_stay_with_their_process(small: Trace) -> None:
    both = merge([small, small], "both")
    assert origins_of(both, {"gemm"})["gemm"][0].operator == "aten::addmm"
    second = select_process(both, 1)
    assert origins_of(second, {"gemm"}) == origins_of(small, {"gemm"})
    assert int(both.origins.operator.max()) == len(small.operators) + 1


def test_a_line_of_pytorch_only_where_there_is_no_other(tmp_path: Path) -> None:
    trace = KinetoTrace()
    trace.span("python_function", "torch/autograd/graph.py(7): run", 0, 9000)
    trace.launch(1, 1000, operator=None)
    trace.kernel("k", 1, 2000, 3000)
    (origin,) = origins_of(load([trace.write(tmp_path / "t.json")]), {"k"})["k"]
    assert (origin.operator, origin.place) == (None, "torch/autograd/graph.py(7): run")


def test_another_thread_has_other_operators(tmp_path: Path) -> None:
    trace = small_trace()
    trace.span("cpu_op", "aten::elsewhere", 4000, 20_500, tid=1, External_id=9)
    found = origins_of(load([trace.write(tmp_path / "t.json")]), {"gemm"})["gemm"]
    assert [origin.operator for origin in found] == ["aten::addmm"]


@pytest.mark.parametrize("pack", ["gz", "zst"])
def test_compressed_is_the_same(tmp_path: Path, small: Trace, pack: str) -> None:
    plain = (tmp_path / "trace.json").read_bytes()
    packed = gzip.compress(plain) if pack == "gz" else zstandard.compress(plain)
    path = tmp_path / f"other.json.{pack}"
    path.write_bytes(packed)
    again = load([path])
    assert np.array_equal(again.dispatches.start, small.dispatches.start)
    assert again.strings == small.strings


def test_events_before_the_devices_and_after_much_else(tmp_path: Path) -> None:
    """Some collectors write their own metadata first, and Kineto its devices last."""
    document = {"metadata": {"text": "x" * 100_000}, **small_trace().document()}
    document["deviceProperties"] = document.pop("deviceProperties")
    path = tmp_path / "t.json"
    path.write_text(to_text(document))
    assert load([path]).gpu_agents[0].name == "gfx942"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6869181218039.954", 6869181218039954),
        ("1.5", 1500),
        ("1.23456", 1235),
        ("1e3", 1_000_000),
        (7, 7000),
        ("-1.0", UNKNOWN),
        ("nan", UNKNOWN),
        ("1e400", UNKNOWN),
        ("", UNKNOWN),
        ("1.\u00b2", UNKNOWN),
        (True, UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_microseconds_to_nanoseconds(text: object, expected: int) -> None:
    assert nanoseconds(text) == expected


def test_kernels_that_were_launched_before_the_recording(tmp_path: Path) -> None:
    """A synchronisation at its beginning waited for them, although no call names them."""
    trace = KinetoTrace()
    trace.span("cuda_runtime", "hipDeviceSynchronize", 1000, 41_000, correlation=50)
    trace.kernel("before", 40, 500, 20_000, grid=None)
    trace.kernel("before", 41, 20_000, 45_000, grid=None)  # ends "after" the wait: clocks differ
    trace.launch(51, 42_000, operator=None)
    trace.kernel("after", 51, 50_000, 90_000)
    path = trace.write(tmp_path / "t.json")
    (found,) = critical_paths(load([path]))
    assert found.critical_path_ns == 19_500 + 25_000 + 40_000 - 4000  # until the wait returned


def test_a_cut_trace_is_refused(tmp_path: Path) -> None:
    path = small_trace().write(tmp_path / "trace.json")
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(RecordingError, match="cut or damaged: it ends before it is complete"):
        load([path])
    packed = small_trace().write(tmp_path / "trace.json.gz")
    packed.write_bytes(packed.read_bytes()[:-60])
    with pytest.raises(RecordingError, match="cut or damaged"):
        load([packed])


def test_a_trace_of_an_nvidia_gpu_is_refused(tmp_path: Path) -> None:
    trace = KinetoTrace()
    trace.launch(1, 0, operator=None, call="cudaLaunchKernel")
    trace.kernel("k", 1, 10, 20)
    document = trace.document()
    for name in ("roctracer_version", "hip_runtime_version"):
        del document[name]
    document["deviceProperties"] = [{"id": 0, "name": "NVIDIA H100", "numSms": 132}]
    path = tmp_path / "t.json"
    path.write_text(to_text(document))
    with pytest.raises(RecordingError, match="of an NVIDIA GPU") as caught:
        load([path])
    assert "ROCm build" in (caught.value.next_step or "")


def test_a_trace_without_kernels_is_refused(tmp_path: Path) -> None:
    trace = KinetoTrace()
    trace.span("cpu_op", "aten::add", 0, 10)
    with pytest.raises(RecordingError, match=r"without a GPU kernel.*only the CPU"):
        load([trace.write(tmp_path / "t.json")])


def test_a_folder_of_traces_is_a_question(tmp_path: Path) -> None:
    small_trace().write(tmp_path / "rank0.json")
    small_trace().write(tmp_path / "rank1.json")
    with pytest.raises(UsageError, match=r"holds 2 PyTorch traces \(rank0.json, rank1.json\)"):
        load([tmp_path])


def test_explain_names_operator_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = small_trace().write(tmp_path / "trace.json.gz")
    assert main(["explain", "--from", str(path)]) == 0
    page = " ".join(capsys.readouterr().out.split())
    assert "Launched by aten::addmm at train.py(10): step: 2 of 2 launches." in page
    assert "Launched by in_graph: train.py(10): step" in page


@pytest.mark.parametrize(
    ("name", "kernels", "copies", "sum_ns", "busy_ns", "span_ns", "streams", "names"),
    [
        ("mi300x-bert-small", 60, 1, 388_344, 388_345, 3_495_976, 1, 11),
        ("mi300x-qwen1.5-0.5b", 1516, 1, 43_062_042, 43_062_032, 47_085_800, 1, 28),
        ("mi300x-sglang-qwen3-8b-decode", 555, 3, 9_765_437, 9_759_752, 473_741_290, 2, 27),
        ("mi210-gpu-only", 562, 0, 5_343_422, 5_343_370, 5_979_503, 1, 45),
    ],
)
def test_recorded_traces(
    name: str,
    kernels: int,
    copies: int,
    sum_ns: int,
    busy_ns: int,
    span_ns: int,
    streams: int,
    names: int,
    known: Known,
) -> None:
    trace = load([known(f"pytorch-traces/{name}.json.gz")])
    rows = trace.dispatches
    assert (len(rows), len(trace.copies)) == (kernels, copies)
    assert int(rows.duration.sum()) == sum_ns
    assert abs(_busy(trace) - busy_ns) <= 60  # theirs was added up in floats of microseconds
    assert int(rows.end.max() - rows.start.min()) == span_ns
    assert len(np.unique(rows.stream)) == streams
    assert len({trace.kernels[k].name for k in rows.kernel}) == names


def _busy(trace: Trace) -> int:
    order = np.argsort(trace.dispatches.start, kind="stable")
    start, end = trace.dispatches.start[order], trace.dispatches.end[order]
    covered = np.concatenate([[start[0]], np.maximum.accumulate(end)[:-1]])
    return int(np.maximum(end - np.maximum(start, covered), 0).sum())


def test_the_recorded_transformer_names_its_layers(known: Known) -> None:
    trace = load([known("pytorch-traces/mi300x-bert-small.json.gz")])
    (attention,) = origins_of(trace, {"attn_fwd"})["attn_fwd"]
    assert attention.operator == "aten::_flash_attention_forward"
    assert attention.place is not None
    assert "modeling_bert.py" in attention.place
    assert attention.total_ns == 113_656
    assert len(trace.origins) == 60
