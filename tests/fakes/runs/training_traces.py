"""Traces of a training step on several GPUs, as PyTorch writes one for each rank."""

from __future__ import annotations

from pathlib import Path

from fakes.kineto_samples import KinetoTrace

COMPUTE, REDUCE = "gemm_kernel", "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)"
_US = 1000


def step_of_rank(compute_us: int, *, steps: int = 3, slowest_us: int = 400) -> KinetoTrace:
    """Each step computes on stream 0 and reduces on stream 5, where it waits for the slowest rank;
    the next step needs the result. All of it is launched ahead, and what an event wait waits for
    was not recorded."""
    trace, number = KinetoTrace(), 0
    begin = 2000
    for step in range(steps):
        called = step * 100 * _US
        compute, reduce = number + 1, number + 2
        number += 2
        trace.launch(compute, called, operator=None)
        trace.span("cuda_runtime", "hipStreamWaitEvent", called + 10_000, called + 11_000)
        trace.launch(reduce, called + 20_000, operator=None)
        trace.span("cuda_runtime", "hipStreamWaitEvent", called + 30_000, called + 31_000)
        computed = begin + compute_us
        reduced = begin + slowest_us + 100
        trace.kernel(COMPUTE, compute, begin * _US, computed * _US)
        trace.kernel(REDUCE, reduce, (computed + 10) * _US, reduced * _US, stream=5)
        begin = reduced + 30
    return trace


def write_ranks(folder: Path, compute_us: tuple[int, ...] = (200, 400, 220, 210)) -> list[Path]:
    world = len(compute_us)
    return [
        step_of_rank(us, slowest_us=max(compute_us)).write(
            folder / f"rank{rank}.json.gz",
            distributedInfo={
                "backend": "nccl",
                "rank": rank,
                "world_size": world,
                "pg_config": [{}],
            },
        )
        for rank, us in enumerate(compute_us)
    ]
