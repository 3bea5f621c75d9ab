"""Gathers what a profile and its counters say about each kernel, for the verdict on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas import profile as schema
from rocm_perf_lab.analysis.documents.schemas.critical_path import CriticalPathModel
from rocm_perf_lab.analysis.documents.schemas.roofline import KernelRooflineModel
from rocm_perf_lab.analysis.kernels.launch_groups import (
    LaunchGroup,
    counters_per_launch,
    group_launches,
)
from rocm_perf_lab.analysis.verdicts.collectives import is_collective
from rocm_perf_lab.analysis.verdicts.formulas import KernelFacts
from rocm_perf_lab.analysis.verdicts.launch_floor import atomic_turn_ns, launch_floor_ns
from rocm_perf_lab.arch.target import Target, load_target
from rocm_perf_lab.errors import ArchitectureUnknown
from rocm_perf_lab.trace.model import Trace

_PLAUSIBLE = 0.5  # of the time that the GPU is busy lies on the path, at least
_UNEXPLAINED = 0.1  # of the path, at most, where recorded calls are to explain it


def kernel_facts(profile: schema.ProfileDocument, trace: Trace) -> dict[str, KernelFacts]:
    """By kernel, in the order of the profile. ``trace`` holds timed runs and counter passes."""
    counters = _counters(trace)
    points = profile.rooflines.kernels if profile.rooflines else []
    point_of = {point.kernel: point for point in points}
    traced = profile.analysis.kernels if profile.analysis else []
    waits = {kernel.kernel: kernel.att.wait_share for kernel in traced if kernel.att}
    target = _target(profile)
    return {
        row.name: _facts(
            profile,
            row,
            target,
            point_of.get(row.name),
            counters.get(row.name, {}),
            waits.get(row.name),
        )
        for row in profile.kernels
    }


def _facts(
    profile: schema.ProfileDocument,
    row: schema.KernelRowModel,
    target: Optional[Target],
    point: Optional[KernelRooflineModel],
    counters: Mapping[str, float],
    trace_waits: Optional[float],
) -> KernelFacts:
    device = profile.device
    slots = target.simds_per_cu * target.max_waves_per_simd if target else None
    return KernelFacts(
        kernel=row.name,
        target=target.name if target else None,
        mean_ns=row.mean_ns,
        workgroups=_workgroups(row),
        workgroup_size=_volume(row.block),
        wave_size=profile.gpu.wave_size if profile.gpu else None,
        cu_count=device.compute_units if device else None,
        xcc_count=device.xcc_count if device else None,
        max_clock_mhz=device.max_clock_mhz if device else None,
        wave_slots_per_cu=slots,
        theoretical_occupancy=row.occupancy.theoretical if row.occupancy else None,
        launch_share=_launch_share(profile),
        launch_floor_ns=launch_floor_ns(
            target.name if target else None, row.dispatches, _busy_share(profile)
        ),
        atomic_turn_ns=atomic_turn_ns(target.name if target else None),
        is_collective=is_collective(row.name),
        reached=_reached(point),
        measured=_measured_roofs(profile),
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


def _target(profile: schema.ProfileDocument) -> Optional[Target]:
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


def _launch_share(profile: schema.ProfileDocument) -> Optional[float]:
    """None without API calls: nobody knows then what the GPU waited for."""
    path = trusted_path(profile)
    if path is None or not has_calls(path):
        return None
    return (path.idle.launch_ns + path.idle.dependency_ns) / path.span_ns


def trusted_path(profile: schema.ProfileDocument) -> Optional[CriticalPathModel]:
    """The critical path, unless it leaves out most of what the GPU did and nobody knows why.

    Then the dependencies were not recorded, and work that runs one after the other looks as if
    it had nothing to do with each other. Where calls explain the path, kernels that run beside
    their own launching are rightly left out of it.
    """
    path = profile.critical_path
    if path is None or not path.span_ns:
        return None
    busy_ns = (profile.timing.gpu_busy_ms or 0.0) * 1e6 / path.processes
    holds_the_work = path.kernel_ns + path.copy_ns >= _PLAUSIBLE * busy_ns
    explained_ns = _explained_by_calls_ns(path)
    is_explained = explained_ns > 0 and path.idle.unknown_ns <= _UNEXPLAINED * path.span_ns
    return path if holds_the_work or is_explained else None


def has_calls(path: CriticalPathModel) -> bool:
    return not path.idle.unknown_ns or _explained_by_calls_ns(path) > 0


def _explained_by_calls_ns(path: CriticalPathModel) -> int:
    return path.idle.launch_ns + path.idle.host_ns + path.idle.synchronisation_ns


def _busy_share(profile: schema.ProfileDocument) -> Optional[float]:
    timing = profile.timing
    if not timing.span_ms or timing.gpu_busy_ms is None:
        return None
    return timing.gpu_busy_ms / timing.span_ms


def unexplained_share(profile: schema.ProfileDocument) -> Optional[float]:
    """Of the time between kernels nothing was recorded that explains it.

    Gaps between runs, and those that counting makes, say nothing about the application.
    """
    path = profile.critical_path
    counting = profile.rooflines is not None and profile.rooflines.time_source == "counter_passes"
    several_runs = path is not None and path.processes > 1
    if counting or several_runs or _launch_share(profile) is not None:
        return None
    busy = _busy_share(profile)
    return None if busy is None else 1.0 - busy
