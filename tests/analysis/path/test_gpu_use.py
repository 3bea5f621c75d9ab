"""Computation, exposed communication, copies and idle time, beside an independent reading."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fakes.kineto_samples import DEVICE, KinetoTrace
from fakes.recordings import Known
from fakes.runs.timeline_reference import reference
from fakes.task_recordings import Recording
from rocm_perf_lab.analysis.documents.gpu_use import gpus_of, process_labels
from rocm_perf_lab.analysis.documents.schemas.profile import GpuUseModel
from rocm_perf_lab.analysis.kernels.collectives import is_collective
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.merge import merge

_NAMES = ("gemm", "ncclDevKernel_Generic(int)", "__amd_rocclr_copyBuffer", "fill")
_TRACES = ("mi210-gpu-only", "mi300x-bert-small", "mi300x-qwen1.5-0.5b")


def _used(path: Path) -> GpuUseModel:
    (found,) = gpus_of(load([path]))
    return found


def _random_trace(seed: int) -> KinetoTrace:
    """Kernels and copies of three streams that overlap, touch, and stand inside others."""
    random, trace = np.random.default_rng(seed), KinetoTrace()
    for number in range(60):
        start = int(random.integers(0, 400)) * 1000
        end = start + int(random.integers(0, 40)) * 1000
        kind = int(random.integers(0, 6))
        stream = int(random.integers(0, 3))
        if kind < len(_NAMES):
            trace.kernel(_NAMES[kind], number, start, end, stream=stream)
        elif kind == 4:
            trace.span("gpu_memcpy", "Memcpy HtoD", start, end, device=DEVICE, kind="HtoD")
        else:
            trace.span("gpu_memset", "Memset (Device)", start, end, device=DEVICE)
    return trace


@pytest.mark.parametrize("seed", range(12))
def test_random_traces_agree_with_the_reference(seed: int, tmp_path: Path) -> None:
    path = _random_trace(seed).write(tmp_path / "trace.json")
    used = _used(path)
    for name, expected in reference(path).items():
        assert getattr(used, name) == pytest.approx(expected, abs=1e-5), name
    parts = used.computation_ms + used.exposed_communication_ms + used.exposed_copies_ms
    assert parts + used.idle_ms == pytest.approx(used.span_ms)


@pytest.mark.parametrize("name", [*_TRACES, "mi300x-sglang-qwen3-8b-decode"])
def test_recorded_traces_agree_with_the_reference(name: str, known: Known) -> None:
    path = known(f"pytorch-traces/{name}.json.gz")
    used = _used(path)
    for field, expected in reference(path).items():
        assert getattr(used, field) == pytest.approx(expected, rel=0.02, abs=1e-6), field


def test_two_gpus_of_a_process_are_two_rows() -> None:
    record = Recording()
    record.kernel("k", 0, 1000, agent=2)
    record.kernel("k", 5000, 6000, agent=3)
    first, second = gpus_of(record.trace())
    assert (first.gpu, second.gpu) == (0, 1)
    assert first.busy_ms == second.busy_ms == first.span_ms == 1e-3


def test_processes_are_named_by_what_tells_them_apart() -> None:
    one, two = Recording(pid=7), Recording(pid=8)
    for record in (one, two):
        record.kernel("k", 0, 1000)
    assert process_labels(merge([one.trace(), two.trace()], "both")) == ("pid 7", "pid 8")


@pytest.mark.parametrize(
    ("name", "communicates"),
    [
        ("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", True),
        ("void rcclGenericKernel<1, false>(ncclDevKernelArgsStorage<4096ul>)", True),
        ("void vllm::cross_device_reduce_1stage<__hip_bfloat16, 8>(int)", True),
        ("void aiter::allreduce_fusion_kernel_1stage<bf16>(int)", True),
        ("quickreduce::allreduce_prototype_twoshot<bf16>(int)", True),
        ("void at::native::reduce_kernel<512, 1>(int)", False),
    ],
)
def test_collectives_by_their_names(name: str, communicates: bool) -> None:
    assert is_collective(name) is communicates
