"""Reads out of a profile and its counters what the verdict on each kernel rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas import profile as schema
from rocm_perf_lab.analysis.documents.schemas.critical_path import CriticalPathModel
from rocm_perf_lab.analysis.documents.schemas.roofline import KernelRooflineModel
from rocm_perf_lab.analysis.documents.schemas.thread_trace import ThreadTraceModel
from rocm_perf_lab.analysis.kernels.collectives import is_collective
from rocm_perf_lab.analysis.kernels.launch_groups import (
    LaunchGroup,
    counters_per_launch,
    group_launches,
)
from rocm_perf_lab.analysis.rooflines.beyond_l2 import BeyondL2
from rocm_perf_lab.analysis.rooflines.memory_traffic import FABRIC
from rocm_perf_lab.analysis.rooflines.roofs import HBM, INFINITY_CACHE
from rocm_perf_lab.analysis.thread_traces.signs import Signs
from rocm_perf_lab.analysis.verdicts.compute_unit import ComputeUnit, compute_unit_of
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.launch_floor import (
    atomic_turn_ns,
    hand_over_ns,
    launch_floor_ns,
    load_latencies,
)
from rocm_perf_lab.analysis.verdicts.measured import HotLine, MeasuredKernel, TracedWaits
from rocm_perf_lab.analysis.verdicts.timing import (
    UNKNOWN_QUEUES,
    Communication,
    PathTimes,
    Queues,
    Timing,
)
from rocm_perf_lab.arch.device import device_facts
from rocm_perf_lab.arch.target import Target, load_target
from rocm_perf_lab.errors import ArchitectureUnknown
from rocm_perf_lab.strict_json import plain
from rocm_perf_lab.trace.model import Trace

_MOST_LINES = 3  # of the source that are told


@dataclass(frozen=True)
class _Shared:
    """What all kernels of a profile have in common, computed once."""

    target: Optional[str]
    wave_size: Optional[int]
    cu_count: Optional[int]
    xcc_count: Optional[int]
    max_clock_mhz: Optional[float]
    compute_unit: Optional[ComputeUnit]
    launch_share: Optional[float]
    busy_share: Optional[float]
    measured: frozenset[str]
    beyond_l2: Optional[BeyondL2]


def _shared(profile: schema.ProfileDocument, timing: Timing) -> _Shared:
    target, device = target_of(profile), profile.device
    return _Shared(
        target=target.name if target else None,
        wave_size=profile.gpu.wave_size if profile.gpu else None,
        cu_count=device.compute_units if device else None,
        xcc_count=device.xcc_count if device else None,
        max_clock_mhz=device.max_clock_mhz if device else None,
        compute_unit=compute_unit_of(target),
        launch_share=timing.launch_share,
        busy_share=timing.busy_share,
        measured=_measured_roofs(profile),
        beyond_l2=_beyond_l2(profile, target),
    )


def measured_kernels(
    profile: schema.ProfileDocument,
    rows: Sequence[schema.KernelRowModel],
    trace: Trace,
    timing: Timing,
) -> tuple[MeasuredKernel, ...]:
    """In the order of ``rows``. ``trace`` holds timed runs and counter passes."""
    counters = _counters(trace) if len(trace.counters) else {}
    points = profile.rooflines.kernels if profile.rooflines else []
    point_of = {point.kernel: point for point in points}
    traced = profile.analysis.kernels if profile.analysis else []
    trace_of = {kernel.kernel: kernel.att for kernel in traced if kernel.att}
    shared = _shared(profile, timing)
    found = []
    for row in rows:
        name = row.name
        waits = trace_of[name].wait_share if name in trace_of else None
        facts = _facts(row, shared, point_of.get(name), counters.get(name, {}), waits)
        found.append(measured_kernel(row, facts, trace_of.get(name)))
    return tuple(found)


def measured_kernel(
    row: schema.KernelRowModel, facts: KernelFacts, trace: Optional[ThreadTraceModel] = None
) -> MeasuredKernel:
    resources, occupancy = row.resources, row.occupancy
    return MeasuredKernel(
        facts=facts,
        launches=row.dispatches,
        total_ns=row.total_ns,
        mean_ns=row.mean_ns,
        median_ns=row.median_ns,
        share=row.share,
        runtime_internal=row.runtime_internal,
        vgpr=resources.vgpr_per_thread if resources else None,
        lds_bytes=resources.lds_bytes if resources else None,
        scratch_bytes=resources.scratch_bytes if resources else None,
        occupancy_limiter=occupancy.limiter if occupancy else None,
        next_up=occupancy.next_up.text if occupancy and occupancy.next_up else None,
        trace=_traced(trace) if trace else None,
    )


def timing_of(profile: schema.ProfileDocument, queues: Queues = UNKNOWN_QUEUES) -> Timing:
    """``queues`` that the run's kernels were launched to, where its recording is at hand."""
    rooflines = profile.rooflines
    return Timing(
        communication=communication_of(profile),
        span_ms=profile.timing.span_ms,
        gpu_busy_ms=profile.timing.gpu_busy_ms,
        path=_path(profile.critical_path) if profile.critical_path else None,
        while_counting=rooflines is not None and rooflines.time_source == "counter_passes",
        queues=queues,
    )


def communication_of(profile: schema.ProfileDocument) -> Optional[Communication]:
    """Of the process whose path is shown; else of the GPU with the longest span."""
    pid = profile.critical_path.pid if profile.critical_path else None
    shown = [gpu for gpu in profile.gpus if pid is not None and gpu.pid == pid] or profile.gpus
    gpu = max(shown, key=lambda one: one.span_ms, default=None)
    if gpu is None or gpu.collective is None or not gpu.span_ms:
        return None
    exposed = gpu.exposed_communication_ms
    ranks = [one for one in profile.gpus if one.waited_ms is not None] or [gpu]
    work = [(one.computation_ms + one.exposed_copies_ms) / one.span_ms for one in ranks]
    return Communication(
        kernel=gpu.collective,
        exposed=exposed / gpu.span_ms,
        is_largest=exposed >= max(gpu.computation_ms, gpu.exposed_copies_ms, gpu.idle_ms),
        least_exposed=min(one.exposed_communication_ms / one.span_ms for one in ranks),
        most_work=max(work),
        mean_work=sum(work) / len(work),
        straggler=profile.ranks.straggler if profile.ranks else None,
    )


def _path(path: CriticalPathModel) -> PathTimes:
    idle = path.idle
    return PathTimes(
        span_ns=path.span_ns,
        processes=path.processes,
        kernel_ns=path.kernel_ns,
        copy_ns=path.copy_ns,
        launch_ns=idle.launch_ns,
        host_ns=idle.host_ns,
        synchronisation_ns=idle.synchronisation_ns,
        dependency_ns=idle.dependency_ns,
        unknown_ns=idle.unknown_ns,
        kernels={kernel.name: kernel for kernel in path.kernels},
    )


def _traced(att: ThreadTraceModel) -> TracedWaits:
    signs = Signs(**plain(att.signs)) if att.signs else None
    return TracedWaits(
        att.source,
        att.matrix_busy,
        att.waiting,
        att.stall_fraction,
        signs,
        att.idle_fraction,
        att.roles,
        att.deciding_loads,
        tuple(
            HotLine(hot.source, hot.share, hot.stall / hot.latency if hot.latency else 0.0)
            for hot in att.hot_sources[:_MOST_LINES]
        ),
    )


def _facts(
    row: schema.KernelRowModel,
    shared: _Shared,
    point: Optional[KernelRooflineModel],
    counters: Mapping[str, float],
    trace_waits: Optional[float],
) -> KernelFacts:
    target, busy = shared.target, shared.busy_share
    return KernelFacts(
        kernel=row.name,
        target=target,
        mean_ns=row.mean_ns,
        workgroups=_workgroups(row),
        workgroup_size=_volume(row.block),
        wave_size=shared.wave_size,
        cu_count=shared.cu_count,
        xcc_count=shared.xcc_count,
        max_clock_mhz=shared.max_clock_mhz,
        compute_unit=shared.compute_unit,
        theoretical_occupancy=row.occupancy.theoretical if row.occupancy else None,
        launch_share=shared.launch_share,
        launch_floor_ns=launch_floor_ns(target, row.dispatches, busy),
        hand_over_ns=hand_over_ns(target, row.dispatches, busy),
        atomic_turn_ns=atomic_turn_ns(target),
        load_latencies=load_latencies(target),
        is_collective=is_collective(row.name),
        reached=_reached(point),
        measured=shared.measured,
        **_beyond_l2_of(point, shared.beyond_l2),
        makes_no_flops=point is not None and point.flops == 0,
        counters=counters,
        trace_waits=trace_waits,
    )


def _counters(trace: Trace) -> dict[str, dict[str, float]]:
    by_kernel: dict[str, list[LaunchGroup]] = {}
    for group in group_launches(trace).groups:
        if group.counters:
            by_kernel.setdefault(group.kernel, []).append(group)
    return {kernel: counters_per_launch(groups) for kernel, groups in by_kernel.items()}


def target_of(profile: schema.ProfileDocument) -> Optional[Target]:
    if profile.device is None or profile.device.gfx is None:
        return None
    try:
        return load_target(profile.device.gfx)
    except ArchitectureUnknown:
        return None


def _reached(point: Optional[KernelRooflineModel]) -> dict[str, float]:
    """Only what is exact: an estimate or an upper bound never decides."""
    if point is None:
        return {}
    return {
        ceiling.name: ceiling.utilisation
        for ceiling in point.ceilings
        if ceiling.exact and ceiling.utilisation is not None
    }


def _beyond_l2_of(
    point: Optional[KernelRooflineModel], memory: Optional[BeyondL2]
) -> dict[str, float]:
    levels = point.levels if point else []
    moved = next((level.bytes for level in levels if level.level == FABRIC), None)
    if point is None or memory is None or moved is None or not point.mean_ns:
        return {}
    seconds = point.mean_ns * 1e-9
    return {
        "fabric_least": memory.least_seconds(moved) / seconds,
        "of_hbm": moved / memory.hbm / seconds,
    }


def _beyond_l2(profile: schema.ProfileDocument, target: Optional[Target]) -> Optional[BeyondL2]:
    roofs = profile.rooflines.roofs if profile.rooflines else []
    rate = {roof.name: roof.value for roof in roofs}
    device = profile.device
    if not rate.get(HBM) or target is None or device is None:
        return None
    known = {"cu_count": device.compute_units, "num_xcc": device.xcc_count}
    facts = device_facts(target, {"product_name": device.product, **known})
    return BeyondL2(rate[HBM], facts.infinity_cache_bytes or 0, rate.get(INFINITY_CACHE))


def _measured_roofs(profile: schema.ProfileDocument) -> frozenset[str]:
    roofs = profile.rooflines.roofs if profile.rooflines else []
    return frozenset(roof.name for roof in roofs if roof.source != "theoretical")


def _workgroups(row: schema.KernelRowModel) -> Optional[int]:
    """Of the most frequent launch shape."""
    if row.grid is None or row.block is None or 0 in row.block:
        return None
    counts = [-(-grid // block) for grid, block in zip(row.grid, row.block)]
    return counts[0] * counts[1] * counts[2]


def _volume(size: Optional[schema.Triple]) -> Optional[int]:
    return None if size is None else size[0] * size[1] * size[2]
