"""Writes three made-up runs of a small training step, for the demo on a machine without a GPU.

The numbers are invented and the device is called so: this shows the tool, it measures nothing.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from rocm_perf_lab.trace.builder import TraceBuilder
from rocm_perf_lab.trace.model import Agent, Kernel, Process, Trace
from rocm_perf_lab.trace.rocpd_writer import write_rocpd

GPU = 1
# name, typical ns, launches, VGPR, accumulation VGPR, LDS bytes, blocks
KERNELS = (
    (
        "gemm_tile<128, 128, 64>(float const*, float const*, float*)",
        182_000,
        12,
        120,
        64,
        32768,
        64,
    ),
    ("softmax_rows(float const*, float*, int)", 41_000, 24, 40, 0, 1024, 256),
    ("adam_update(float*, float const*, float)", 23_000, 12, 24, 0, 0, 4096),
)


def run(seed: int) -> Trace:
    jitter = random.Random(seed)
    builder = TraceBuilder(Process(f"demo-{seed}", 100 + seed, "./train --steps 12", None, "demo"))
    facts = {"cu_count": 304, "num_xcc": 8, "wave_front_size": 64, "max_engine_clk_fcompute": 2100}
    builder.add_agent(Agent(0, GPU, "GPU", "gfx942", "made-up MI300X (virtual)", 0, facts))
    now = 1_000_000
    for index, (name, typical, launches, vgpr, accum, lds, blocks) in enumerate(KERNELS):
        kernel = builder.add_kernel(
            Kernel(0, index + 1, name, None, 1, vgpr, accum, 48, lds, 0, 64)
        )
        for _ in range(launches):
            duration = round(typical * jitter.lognormvariate(0, 0.03))
            builder.add_dispatch(
                start=now,
                end=now + duration,
                kernel=kernel,
                agent_id=GPU,
                dispatch_id=now,
                queue_id=1,
                stream_id=1,
                grid=(256 * blocks, 1, 1),
                block=(256, 1, 1),
                lds=lds,
                scratch=0,
            )
            now += duration + 2_000
    return builder.build()


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for number in (1, 2, 3):
        target = folder / f"run_{number}"
        target.mkdir(parents=True, exist_ok=True)
        write_rocpd(run(number), target / "demo_results.db")
