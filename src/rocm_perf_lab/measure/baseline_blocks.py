"""An application against itself: blocks in which all three processes are the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from rocm_perf_lab.collect.doctor.runtime_gpus import runtime_gpus
from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.collect.rocprof.options import SILENT, Progress
from rocm_perf_lab.collect.rocprof.space import recording_space
from rocm_perf_lab.collect.roofs import build_benchmark
from rocm_perf_lab.errors import NothingRecorded, ToolMissing
from rocm_perf_lab.measure.blocks import A, BlockRequest, BlockTimes, measure_blocks
from rocm_perf_lab.measure.meter import Command

BUILT_IN = Path(__file__).parent / "data" / "self_test.hip"


def measure_baseline(
    argv: Optional[Sequence[str]],
    blocks: int,
    *,
    rocm: Optional[Path] = None,
    timeout_s: Optional[float] = None,
    progress: Progress = SILENT,
) -> list[BlockTimes]:
    """Without an application a small program of our own is compiled and run."""
    with recording_space() as space:
        command = Command(tuple(argv or (str(_built_in(rocm, space)),)))
        request = BlockRequest(
            command, command, blocks, rocm=rocm, timeout_s=timeout_s, progress=progress
        )
        return list(measure_blocks(request))


def longest_kernel(blocks: Sequence[BlockTimes]) -> str:
    """The one that takes most of the first process' time."""
    kernels = blocks[0].processes[A].kernels
    if not kernels:
        raise NothingRecorded("the application launched no kernel", "rocm-perf doctor")
    return max(kernels, key=lambda name: sum(kernels[name]))


def _built_in(rocm: Optional[Path], space: Path) -> Path:
    prefix = find_prefix(rocm)
    found = runtime_gpus(prefix)
    if not found.gpus:
        raise ToolMissing(
            f"no GPU to measure: {found.problem or 'the runtime shows none'}", "rocm-perf doctor"
        )
    return build_benchmark(prefix, found.gpus[0].target, space, source=BUILT_IN)
