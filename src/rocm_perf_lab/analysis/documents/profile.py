"""From the traces of some runs to one profile document. Pure: no files, no processes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, Optional

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from rocm_perf_lab import errors
from rocm_perf_lab.analysis.documents.gpu_use import gpus_of, graphs_of, ranks_of
from rocm_perf_lab.analysis.documents.kernel_rows.kernel_resources import (
    describe_device,
    device_conflicts,
    gpu_block,
)
from rocm_perf_lab.analysis.documents.kernel_rows.launched_hardware import KernelHardware
from rocm_perf_lab.analysis.documents.kernel_rows.samples import sampled_kernels
from rocm_perf_lab.analysis.documents.kernel_rows.time_bounds import Bounds, time_bounds
from rocm_perf_lab.analysis.documents.schemas import profile as schema
from rocm_perf_lab.analysis.documents.unavailable import Reasons
from rocm_perf_lab.analysis.kernels.stability import stability_of
from rocm_perf_lab.analysis.kernels.stats import KernelStats, kernel_statistics
from rocm_perf_lab.analysis.kernels.usual_launches import Launch, usual_launches
from rocm_perf_lab.analysis.path.timed import timed_trace
from rocm_perf_lab.analysis.path.timeline import gpu_time, kernel_sum_ns
from rocm_perf_lab.redaction import redacted_words
from rocm_perf_lab.strict_json import replace as with_fields
from rocm_perf_lab.trace.model import Trace

RECORDING_KIND = Literal["hardware", "recorded"]


class RunInput(Struct, frozen=True):
    """One run of the application: its recording, and how long the process took if known."""

    trace: Trace
    wall_ns: Optional[int] = None
    notes: tuple[str, ...] = ()  # what was asked of the profiler and is not there


class Origin(Struct, frozen=True):
    """Where the runs came from, for the head of the document."""

    kind: RECORDING_KIND
    tool_version: str
    command: Optional[Sequence[str]] = None
    source: Optional[Sequence[str]] = None

    def __post_init__(self) -> None:
        if self.command is not None:
            force_setattr(self, "command", redacted_words(self.command))


def build_profile(
    runs: Sequence[RunInput], origin: Origin, kernel_regex: Optional[str] = None
) -> schema.ProfileDocument:
    reasons = Reasons()
    recorded = [run.trace for run in runs]
    runs = [replace(run, trace=timed_trace(run.trace)) for run in runs]
    sums_ns = [kernel_sum_ns(run.trace.dispatches) for run in runs]
    chosen = _representative(sums_ns)
    run = runs[chosen]
    statistics = _select(kernel_statistics(run.trace), kernel_regex, run.trace.warnings)
    dominant = _dominant(statistics)
    agent = _agent_of(run.trace, dominant)
    bounds = time_bounds(run.trace)
    hardware = KernelHardware(reasons)
    rows = [
        _row(stats, launch, bounds, hardware, stats is dominant)
        for stats, launch in zip(statistics, usual_launches(run.trace, statistics))
    ]
    sampled = sampled_kernels(next((t for t in recorded if len(t.samples)), run.trace))
    rows = [with_fields(row, samples=sampled.get(row.name)) for row in rows]
    head = next(row for row in rows if row.name == dominant.name)
    stability = _stability([ns / 1e6 for ns in sums_ns], "kernel_time", reasons)
    return schema.ProfileDocument(
        schema_version=schema.SCHEMA_VERSION,
        tool_version=origin.tool_version,
        command=list(origin.command) if origin.command else None,
        source=list(origin.source) if origin.source else None,
        kernel=schema.KernelModel(name=head.name, grid=head.grid, block=head.block),
        gpu=gpu_block(run.trace, agent, reasons),
        device=describe_device(run.trace, agent, origin.kind),
        runtime_ms=stability.mean_ms,
        stability=stability,
        resources=head.resources,
        occupancy=head.occupancy,
        roofline=None,
        timing=_timing(run, chosen, reasons),
        gpus=gpus_of(recorded[chosen]),
        ranks=ranks_of(recorded[chosen]),
        graphs=graphs_of(recorded[chosen]),
        kernels=rows,
        warnings=[*_warnings(runs), *device_conflicts(run.trace, agent)],
        unavailable=reasons.listed(),
    )


def build_timing_only(
    walls_ns: Sequence[int], origin: Origin, why_no_kernels: str, next_step: Optional[str]
) -> schema.ProfileDocument:
    """A profile without a recording: wall times, and a reason for everything else."""
    reasons = Reasons()
    stability = _stability([ns / 1e6 for ns in walls_ns], "wall_time", reasons)
    for field in ("kernel", "gpu", "device", "resources", "occupancy", "roofline", "kernels"):
        reasons.add(field, why_no_kernels, next_step)
    middle = sorted(range(len(walls_ns)), key=lambda i: walls_ns[i])[len(walls_ns) // 2]
    return schema.ProfileDocument(
        schema_version=schema.SCHEMA_VERSION,
        tool_version=origin.tool_version,
        command=list(origin.command) if origin.command else None,
        source=None,
        kernel=schema.KernelModel(name=None, grid=None, block=None),
        gpu=None,
        device=None,
        runtime_ms=stability.mean_ms,
        stability=stability,
        resources=None,
        occupancy=None,
        roofline=None,
        timing=schema.TimingModel(
            kernel_sum_ms=None,
            gpu_busy_ms=None,
            span_ms=None,
            wall_ms=walls_ns[middle] / 1e6,
            run=middle,
        ),
        kernels=[],
        warnings=[],
        unavailable=reasons.listed(),
    )


def _representative(times: Sequence[int]) -> int:
    """The run whose kernel time is the (lower) median: a real run, not an average of several."""
    return sorted(range(len(times)), key=lambda i: (times[i], i))[(len(times) - 1) // 2]


def _select(
    statistics: tuple[KernelStats, ...], kernel_regex: Optional[str], troubles: Sequence[str]
) -> tuple[KernelStats, ...]:
    if not statistics:
        why = f" that can be used: {'; '.join(troubles)}" if troubles else ""
        raise errors.NothingRecorded(
            f"the recording holds no kernel dispatch{why}",
            "check that the application launches a kernel, and record with --kernel-trace",
        )
    if kernel_regex is None:
        return statistics
    try:
        pattern = re.compile(kernel_regex)
    except re.error as error:
        raise errors.UsageError(
            f"--kernel '{kernel_regex}' is not a regular expression: {error}"
        ) from error
    kept = tuple(s for s in statistics if pattern.search(s.name))
    if not kept:
        names = ", ".join(s.name[:60] for s in statistics[:5])
        raise errors.NothingRecorded(
            f"no kernel matches --kernel '{kernel_regex}'", f"recorded kernels: {names}"
        )
    return kept


def _dominant(statistics: tuple[KernelStats, ...]) -> KernelStats:
    """Largest total time; the runtime's own copy and fill kernels only when nothing else ran."""
    return next((s for s in statistics if not s.kernel.is_runtime_blit), statistics[0])


def _agent_of(trace: Trace, stats: KernelStats) -> int:
    return int(trace.dispatches.agent[stats.representative])


def _row(
    stats: KernelStats, launch: Launch, bounds: Bounds, hardware: KernelHardware, dominant: bool
) -> schema.KernelRowModel:
    kernel = stats.kernel
    internal = kernel.is_runtime_blit
    # The user can do something about what is not known of an own kernel.
    resources, occupancy = hardware.of(kernel, launch, matters=dominant or not internal)
    return schema.KernelRowModel(
        name=stats.name,
        symbol=kernel.symbol,
        runtime_internal=internal,
        dispatches=stats.dispatches,
        total_ns=stats.total_ns,
        min_ns=stats.min_ns,
        median_ns=stats.median_ns,
        mean_ns=stats.mean_ns,
        max_ns=stats.max_ns,
        cv=stats.cv,
        share=stats.share,
        grid=launch.grid,
        block=launch.block,
        launch_shapes=stats.shapes,
        resources=resources,
        occupancy=occupancy,
        time_bounds=bounds.get(stats.name, []),
    )


def _stability(
    samples_ms: Sequence[float],
    quantity: Literal["kernel_time", "wall_time"],
    reasons: Reasons,
) -> schema.StabilityModel:
    result = stability_of(samples_ms)
    if result.cv is None:
        reasons.add("stability.cv", "one run has no spread", "use --runs 3, or give several runs")
    return schema.StabilityModel(
        runs=result.runs,
        mean_ms=result.mean_ms,
        stddev_ms=result.stddev_ms,
        cv=result.cv,
        classification=result.classification,
        samples_ms=list(samples_ms),
        quantity=quantity,
    )


def _timing(run: RunInput, index: int, reasons: Reasons) -> schema.TimingModel:
    time = gpu_time(run.trace.dispatches)
    if run.wall_ns is None:
        reasons.add("timing.wall_ms", "a recording does not hold the time of the process", None)
    return schema.TimingModel(
        kernel_sum_ms=time.kernel_sum_ns / 1e6,
        gpu_busy_ms=time.busy_ns / 1e6,
        span_ms=time.span_ns / 1e6,
        wall_ms=None if run.wall_ns is None else run.wall_ns / 1e6,
        run=index,
    )


def _warnings(runs: Sequence[RunInput]) -> list[str]:
    """Every warning once; runs that launched different kernels are worth one too."""
    warnings = list(dict.fromkeys(w for run in runs for w in (*run.trace.warnings, *run.notes)))
    names = [frozenset(k.name for k in run.trace.kernels) for run in runs]
    if len(set(names)) > 1:
        warnings.append("the runs did not launch the same kernels: are they one application?")
    return warnings
