"""``roofs`` as a function: what the first GPU of a prefix really reaches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Optional

from rocm_perf_lab.analysis.rooflines.measurement import (
    benchmark_arguments,
    measured_roofs,
    roof_names,
)
from rocm_perf_lab.arch.device import DeviceFacts, device_facts
from rocm_perf_lab.collect.doctor.runtime_gpus import runtime_gpus
from rocm_perf_lab.collect.prefix import Prefix, find_prefix
from rocm_perf_lab.collect.rocprof.options import SILENT, Progress
from rocm_perf_lab.collect.rocprof.space import recording_space
from rocm_perf_lab.collect.roofs import build_benchmark, record_benchmark
from rocm_perf_lab.errors import ToolMissing, UsageError
from rocm_perf_lab.trace.measured_roofs import MeasuredRoofs


class DeviceRoofs(NamedTuple):
    roofs: MeasuredRoofs
    facts: DeviceFacts


def measure_roofs(
    rocm: Optional[Path] = None, only: Sequence[str] = (), progress: Progress = SILENT
) -> DeviceRoofs:
    """All roofs of the device, or ``only`` those that are named."""
    prefix = find_prefix(rocm)
    facts = _first_gpu(prefix)
    known = roof_names(facts)
    names = only or known
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(
            f"{facts.target.name} has no roof {', '.join(unknown)}",
            f"choose from {', '.join(known)}",
        )
    with recording_space() as space:
        program = build_benchmark(prefix, facts.target.name, space, progress)
        words = benchmark_arguments(facts, names)
        work, trace = record_benchmark(prefix, program, words, space, progress)
    return DeviceRoofs(measured_roofs(work, trace), facts)


def _first_gpu(prefix: Prefix) -> DeviceFacts:
    found = runtime_gpus(prefix)
    if not found.gpus:
        raise ToolMissing(
            f"no GPU to measure: {found.problem or 'the runtime shows none'}", "rocm-perf doctor"
        )
    return device_facts(found.gpus[0].target, {"product_name": found.gpus[0].product})
