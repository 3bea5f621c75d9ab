"""Traces that tests of this room share."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.model import Agent, Kernel, Process, Trace

GUID = "00003fdc-92cb-72cb-9169-c7e541b1fcdf"
BASE = 1_071_423_114_883_652  # nanoseconds, as real recordings have: beyond what float32 can hold

GPU_FACTS = {"cu_count": 304, "num_xcc": 8, "simd_per_cu": 4, "wave_front_size": 64}


def sample_builder(pid: int = 4242, guid: str = GUID, source: str = "sample") -> TraceBuilder:
    """A process with two agents and two kernels, and nothing that happened yet."""
    builder = TraceBuilder(Process(guid, pid, "./app --size 3", "box", source))
    builder.add_agent(Agent(0, 0, "CPU", "EPYC", "AMD EPYC", 0))
    builder.add_agent(Agent(0, 4, "GPU", "gfx942", "AMD Instinct MI300X", 0, GPU_FACTS))
    builder.add_queue(0, "Default Queue")
    builder.add_queue(16, "Queue 0")
    builder.add_stream(0, "Default Stream")
    builder.add_stream(3, "Stream 3")
    builder.add_code_object(1, 4, "file:///app#offset=4096&size=512", 0x7F00, 512)
    builder.add_kernel(Kernel(0, 7, "gemm(float*)", "_Z4gemmPf.kd", 1, 128, 64, 112, 4096, 0, 40))
    builder.add_kernel(Kernel(0, 9, "__amd_rocclr_fillBuffer", None, 1, 12, 4, 32, 0, 0, 24))
    return builder


def sample_trace(pid: int = 4242, guid: str = GUID, source: str = "sample") -> Trace:
    """Three dispatches, a copy, an allocation, calls with arguments, a marker and counters."""
    builder = sample_builder(pid, guid, source)
    for row in range(3):
        start = BASE + 10_000 * row
        builder.add_dispatch(
            start=start,
            end=start + 700 + row,
            kernel=builder.kernel_of_id(7 if row else 9),
            agent_id=4,
            queue_id=16,
            stream_id=3 if row else 0,
            thread=pid,
            dispatch_id=row + 1,
            stack_id=100 + row,
            grid=(512, 128, 1),
            block=(256, 1, 1),
            lds=4096 if row else 0,
            scratch=0,
        )
        builder.add_counter(row, "SQ_WAVES", 1024.0 * (row + 1))
        builder.add_counter(row, "GRBM_GUI_ACTIVE", 29471.5)
        builder.add_api_call(
            start=start - 5000,
            end=start - 4000,
            name="hipLaunchKernel" if row else "hipMemset",
            category="HIP_RUNTIME_API_EXT",
            thread=pid,
            stack_id=100 + row,
            parent_stack_id=0,
            arguments=(("function", "void const*", "0x2328"), ("stream", "hipStream_t", "0x0")),
        )
    builder.add_copy(
        start=BASE + 50_000,
        end=BASE + 51_000,
        direction="MEMORY_COPY_HOST_TO_DEVICE",
        size=1 << 20,
        source_agent_id=0,
        target_agent_id=4,
        stream_id=3,
        thread=pid,
        stack_id=200,
    )
    builder.add_allocation(
        start=BASE - 9000,
        end=BASE - 8000,
        operation="ALLOC",
        level="REAL",
        size=1 << 21,
        address=0x7F1200000000,
        agent_id=4,
    )
    builder.add_marker(start=BASE - 6000, end=BASE + 60_000, message="step 1", thread=pid)
    return builder.build()


def assert_equal_tables(actual: Any, expected: Any, *, without: tuple[str, ...] = ()) -> None:
    """Every column of two event tables is equal, index columns included."""
    for name in expected.__struct_fields__:
        if name not in without:
            left, right = getattr(actual, name), getattr(expected, name)
            assert left.dtype == right.dtype, name
            np.testing.assert_array_equal(left, right, err_msg=name)


def texts(trace: Trace, column: Any) -> list[str]:
    """The strings that an index column stands for."""
    return [trace.strings[index] for index in column]
