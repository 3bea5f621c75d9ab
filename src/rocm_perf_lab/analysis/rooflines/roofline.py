"""Where each kernel stands below the ceilings of its device.

Work comes from counters, time from the run without counters. For every ceiling, work divided by
ceiling is the time that the kernel needs at least; the ceiling with the longest of these times
binds, and that time over the real one is how much of it was reached. More than all of it is not a
fast kernel but a wrong number, and is called suspect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Optional, Protocol

from rocm_perf_lab.analysis.kernels.launch_groups import (
    Grouping,
    LaunchGroup,
    counters_per_launch,
    group_launches,
)
from rocm_perf_lab.analysis.rooflines.flops import FlopCount, count_flops, flop_counters
from rocm_perf_lab.analysis.rooflines.memory_traffic import (
    FABRIC,
    L1,
    Traffic,
    memory_traffic,
    traffic_counters,
)
from rocm_perf_lab.analysis.rooflines.roofs import HBM, INFINITY_CACHE, Roof, Roofs
from rocm_perf_lab.trace.model import Trace

Bound = Literal["memory", "compute"]

SUSPECT_ABOVE = 1.0
PACKED = "vector counts assume 64 active lanes and no packed math"
L1_TWICE = "l1 counts 64 bytes per access: coalesced code comes out at twice its data"
SERIALISED = "times come from counter passes, which slow kernels down: rates are lower bounds"
CACHED = "more than HBM delivers: Infinity Cache served a part"


class Counting(Protocol):
    """What has to be known of a target to read its counters: less than its hardware facts."""

    @property
    def name(self) -> str: ...

    @property
    def default_wave_size(self) -> int: ...


@dataclass(frozen=True)
class Ceiling:
    """One roof and how far below it the kernel stayed."""

    name: str  # "hbm", "l2", "matrix.bf16", ...
    kind: Bound
    work: float  # bytes or FLOP per launch
    rate: float  # per second
    roof: Optional[Roof]
    utilisation: Optional[float]  # rate over roof, None without a roof
    exact: bool  # False for work that is estimated or an upper bound: it never binds

    @property
    def suspect(self) -> bool:
        return self.exact and self.utilisation is not None and self.utilisation > SUSPECT_ABOVE


@dataclass(frozen=True)
class KernelRoofline:
    """One kernel with all its launches. Work is per launch; what is unknown is None."""

    kernel: str
    launches: int
    mean_ns: float
    coverage: float  # share of the kernel's time whose launches have counters
    flops: FlopCount
    traffic: tuple[Traffic, ...]
    arithmetic_intensity: Optional[float]  # FLOP per byte to and from the fabric
    ridge: Optional[float]  # intensity from which on compute binds
    flop_rate: Optional[float]
    byte_rate: Optional[float]
    ceilings: tuple[Ceiling, ...]
    bound: Optional[Bound]  # by memory beyond L2, or by compute
    binding: Optional[Ceiling]  # over all levels and pipes
    reasons: Mapping[str, str]  # "flops", "rates" or a level -> why it is unknown
    caveats: tuple[str, ...]

    @property
    def suspect(self) -> bool:
        return any(ceiling.suspect for ceiling in self.ceilings)


def roofline_counters(target: str) -> tuple[tuple[str, ...], ...]:
    """What a roofline needs, in groups whose counters belong into one run."""
    return (*flop_counters(target), *traffic_counters(target))


def roofline(trace: Trace, target: Counting, roofs: Roofs) -> tuple[KernelRoofline, ...]:
    """Every kernel of the trace, largest total time first."""
    return kernel_rooflines(group_launches(trace), target, roofs)


def kernel_rooflines(
    grouping: Grouping, target: Counting, roofs: Roofs
) -> tuple[KernelRoofline, ...]:
    by_kernel: dict[str, list[LaunchGroup]] = {}
    for group in grouping.groups:
        by_kernel.setdefault(group.kernel, []).append(group)
    points = [_kernel(groups, grouping, target, roofs) for groups in by_kernel.values()]
    return tuple(sorted(points, key=lambda p: (-p.launches * p.mean_ns, p.kernel)))


def roofline_point(
    kernel: str,
    counters: Mapping[str, float],
    duration_ns: float,
    target: Counting,
    roofs: Roofs,
    *,
    serialised: bool = False,
) -> KernelRoofline:
    """One launch with its own counters and time."""
    flops = count_flops(counters, target.name, target.default_wave_size)
    traffic = memory_traffic(counters, target.name)
    return _point(kernel, 1, duration_ns, 1.0, flops, traffic, roofs, serialised)


def _kernel(
    groups: Sequence[LaunchGroup], grouping: Grouping, target: Counting, roofs: Roofs
) -> KernelRoofline:
    """All shapes of a kernel: work and time of those that have counters, weighted by launches."""
    total_ns = sum(group.total_ns for group in groups)
    counted = [group for group in groups if group.counters]
    used = counted or list(groups)
    used_ns = sum(group.total_ns for group in used)
    launches = sum(len(group.timed) for group in used)
    coverage = 0.0 if not counted else (used_ns / total_ns if total_ns else 1.0)
    counters = counters_per_launch(used)
    flops = count_flops(counters, target.name, target.default_wave_size)
    traffic = memory_traffic(counters, target.name)
    return _point(
        groups[0].kernel,
        launches,
        used_ns / launches,
        coverage,
        flops,
        traffic,
        roofs,
        grouping.serialised,
    )


def _point(
    kernel: str,
    launches: int,
    mean_ns: float,
    coverage: float,
    flops: FlopCount,
    traffic: tuple[Traffic, ...],
    roofs: Roofs,
    serialised: bool,
) -> KernelRoofline:
    fabric = next((t.total for t in traffic if t.level == FABRIC), None)
    seconds = mean_ns * 1e-9
    ceilings = _ceilings(flops, traffic, roofs, seconds) if seconds > 0 else ()
    compute_s = _compute_time(flops, roofs)
    memory_s = _over(fabric, roofs.bandwidth.get(HBM))
    return KernelRoofline(
        kernel=kernel,
        launches=launches,
        mean_ns=mean_ns,
        coverage=coverage,
        flops=flops,
        traffic=traffic,
        arithmetic_intensity=flops.total / fabric if flops.total is not None and fabric else None,
        ridge=_ridge(flops, compute_s, roofs),
        flop_rate=flops.total / seconds if flops.total is not None and seconds > 0 else None,
        byte_rate=fabric / seconds if fabric is not None and seconds > 0 else None,
        ceilings=ceilings,
        bound=_bound(compute_s, memory_s),
        binding=_binding(ceilings),
        reasons=_reasons(flops, traffic, seconds),
        caveats=_caveats(flops, traffic, ceilings, serialised),
    )


def _ceilings(
    flops: FlopCount, traffic: Sequence[Traffic], roofs: Roofs, seconds: float
) -> tuple[Ceiling, ...]:
    found = [
        _memory_ceiling(level.level, level.total, roofs, seconds)
        for level in traffic
        if level.total is not None
    ]
    for pipe, work in flops.by_pipe.items():
        if work > 0:
            name, roof = ".".join(pipe), roofs.rate.get(pipe)
            found.append(_ceiling(name, "compute", work, roof, seconds, not flops.is_estimate))
    return tuple(found)


def _memory_ceiling(level: str, work: float, roofs: Roofs, seconds: float) -> Ceiling:
    if level != FABRIC:
        roof = roofs.bandwidth.get(level)
        return _ceiling(level, "memory", work, roof, seconds, exact=level != L1)
    hbm = _ceiling(HBM, "memory", work, roofs.bandwidth.get(HBM), seconds)
    cache = roofs.bandwidth.get(INFINITY_CACHE)
    if not hbm.suspect or cache is None:
        return hbm
    # The fabric counters see requests that Infinity Cache answers: faster than HBM is possible.
    return _ceiling(INFINITY_CACHE, "memory", work, cache, seconds)


def _ceiling(
    name: str, kind: Bound, work: float, roof: Optional[Roof], seconds: float, exact: bool = True
) -> Ceiling:
    rate = work / seconds
    return Ceiling(name, kind, work, rate, roof, rate / roof.value if roof else None, exact)


def _compute_time(flops: FlopCount, roofs: Roofs) -> Optional[float]:
    """Seconds at the compute ceilings: precisions of one unit queue up, the units overlap."""
    if flops.total is None or flops.is_estimate:
        return None
    by_unit: dict[str, float] = {}
    for pipe, work in flops.by_pipe.items():
        if work > 0:
            roof = roofs.rate.get(pipe)
            if roof is None:
                return None
            by_unit[pipe[0]] = by_unit.get(pipe[0], 0.0) + work / roof.value
    return max(by_unit.values(), default=0.0)


def _over(work: Optional[float], roof: Optional[Roof]) -> Optional[float]:
    return None if work is None or roof is None else work / roof.value


def _ridge(flops: FlopCount, compute_s: Optional[float], roofs: Roofs) -> Optional[float]:
    """FLOP per byte at which this kernel's mix of operations takes as long as its bytes."""
    hbm = roofs.bandwidth.get(HBM)
    if not compute_s or flops.total is None or hbm is None:
        return None
    return flops.total / compute_s / hbm.value


def _bound(compute_s: Optional[float], memory_s: Optional[float]) -> Optional[Bound]:
    if compute_s is None or memory_s is None or compute_s == memory_s == 0:
        return None
    return "memory" if memory_s >= compute_s else "compute"


def _binding(ceilings: Sequence[Ceiling]) -> Optional[Ceiling]:
    candidates = [ceiling for ceiling in ceilings if ceiling.utilisation and ceiling.exact]
    return max(candidates, key=lambda c: c.utilisation or 0.0, default=None)


def _reasons(flops: FlopCount, traffic: Sequence[Traffic], seconds: float) -> dict[str, str]:
    reasons = {}
    if seconds <= 0:
        reasons["rates"] = "the launches have no duration"
    if flops.unknown:
        pipes = ", ".join(".".join(pipe) for pipe in flops.unknown)
        reasons["flops"] = f"of {pipes} not recorded: {', '.join(flops.missing)}"
    if not traffic:
        reasons[FABRIC] = "no request counters are known for this target"
    for level in traffic:
        if level.missing:
            reasons[level.level] = f"not recorded: {', '.join(level.missing)}"
    return reasons


def _caveats(
    flops: FlopCount, traffic: Sequence[Traffic], ceilings: Sequence[Ceiling], serialised: bool
) -> tuple[str, ...]:
    caveats = []
    if serialised:
        caveats.append(SERIALISED)
    if flops.is_estimate:
        caveats.append(flops.method)
    elif any(unit == "vector" and work > 0 for (unit, _), work in flops.by_pipe.items()):
        caveats.append(PACKED)
    if any(level.level == L1 and level.total for level in traffic):
        caveats.append(L1_TWICE)
    caveats += [CACHED for ceiling in ceilings if ceiling.name == INFINITY_CACHE]
    for ceiling in ceilings:
        if ceiling.suspect and ceiling.utilisation is not None:
            caveats.append(f"suspect: {ceiling.utilisation:.0%} of the roof of {ceiling.name}")
    return tuple(caveats)
