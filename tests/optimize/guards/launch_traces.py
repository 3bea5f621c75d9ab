"""Traces of small made-up applications, for guards that compare two runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.model import Agent, Kernel, Process, Trace

GPU_FACTS = {"cu_count": 304, "num_xcc": 8, "simd_per_cu": 4, "wave_front_size": 64}
WORK, OTHER = "work(float*)", "other(float*)"


@dataclass(frozen=True)
class Launched:
    kernel: str = WORK
    grid: tuple[int, int, int] = (4096, 1, 1)
    block: tuple[int, int, int] = (256, 1, 1)
    dynamic_lds: int = 0
    stream: int = 1
    graph: int = -1
    nanoseconds: int = 1000


def trace(
    launches: Sequence[Launched],
    copies: Sequence[int] = (),
    *,
    vgpr: int = 32,
    static_lds: int = 1024,
    scratch: int = 0,
    first_stream: int = 1,
) -> Trace:
    """``vgpr``, ``static_lds`` and ``scratch`` are those of the kernel WORK."""
    builder = TraceBuilder(Process("guid", 7, "./app", "box", "made up"))
    builder.add_agent(Agent(0, 0, "CPU", "EPYC", "AMD EPYC", 0))
    builder.add_agent(Agent(0, 4, "GPU", "gfx942", "AMD Instinct MI300X", 0, GPU_FACTS))
    ids = {}
    for number, name in enumerate((WORK, OTHER), 1):
        mine = name == WORK
        own_lds, own_scratch = (static_lds, scratch) if mine else (0, 0)
        kernel = Kernel(
            0,
            number,
            name,
            f"k{number}.kd",
            1,
            vgpr if mine else 16,
            0,
            32,
            own_lds,
            own_scratch,
            16,
        )
        ids[name] = (builder.add_kernel(kernel), own_lds, own_scratch)
    now = 1_000_000
    for number, launch in enumerate(launches):
        index, own_lds, own_scratch = ids[launch.kernel]
        builder.add_dispatch(
            start=now,
            end=now + launch.nanoseconds,
            kernel=index,
            agent_id=4,
            dispatch_id=number + 1,
            stream_id=launch.stream + first_stream,
            grid=launch.grid,
            block=launch.block,
            lds=own_lds + launch.dynamic_lds,
            scratch=own_scratch,
            graph_exec=launch.graph,
        )
        now += launch.nanoseconds + 100
    for size in copies:
        builder.add_copy(
            start=now, end=now + 10, direction="HOST_TO_DEVICE", size=size, stream_id=first_stream
        )
        now += 20
    return builder.build()
