"""How many waves of a kernel fit on a compute unit, what limits them, and what would change it.

The rule is that of the dispatcher: whole workgroups are placed, so the wave slots left beside the
last workgroup that fits stay empty. "CU" means the block that a workgroup must share: a CU, or on
RDNA in WGP mode (the HIP default) a WGP of two CUs. Scratch limits, CU masks and kernels that run
at the same time are not part of the model; they can only lower what is achieved.

The compiler's own figure, which ignores whole-workgroup placement, is kept beside it
(:mod:`rocm_perf_lab.analysis.kernels.occupancy_compiler`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional, Union

from msgspec import Struct
from msgspec.structs import replace

from rocm_perf_lab.analysis.kernels.occupancy_compiler import CompilerOccupancy, compiler_occupancy
from rocm_perf_lab.arch.device import DeviceFacts
from rocm_perf_lab.arch.target import Target, round_up
from rocm_perf_lab.errors import UsageError

VGPR, SGPR, LDS, BARRIERS, SLOTS = "vgpr", "sgpr", "lds", "barriers", "slots"
WORKGROUP_SIZE = "workgroup_size"
LAUNCH_IMPOSSIBLE = "launch_impossible"

# The order in which equally tight resources are named, most often changed first.
_RESOURCES = (VGPR, LDS, SGPR, BARRIERS)
_LABELS = {VGPR: "VGPR", SGPR: "SGPR", LDS: "LDS bytes"}


class KernelResources(Struct, frozen=True):
    """What one launch asks of a CU, in the units of the hardware's allocation."""

    target: Target
    vgprs: int  # what arch and accumulation registers take together
    sgprs: Optional[int]
    lds_bytes: int
    workgroup_size: int
    wave_size: int
    wgp_mode: bool

    @property
    def cus_per_block(self) -> int:
        return 2 if self.wgp_mode else 1

    @property
    def simds(self) -> int:
        return self.target.simds_per_cu * self.cus_per_block

    @property
    def slots(self) -> int:
        return self.target.max_waves_per_simd * self.simds

    @property
    def lds_pool(self) -> int:
        return self.target.lds_bytes_per_cu * self.cus_per_block

    @property
    def barriers(self) -> int:
        return self.target.count("barriers_per_cu") * self.cus_per_block

    @property
    def waves_per_workgroup(self) -> int:
        return -(-self.workgroup_size // self.wave_size)


class Step(Struct, frozen=True):
    """The occupancy that other values of some resources would give, everything else unchanged."""

    bounds: Mapping[str, int]  # resource -> value; "at most" going up, "at least" going down
    raises: bool
    workgroups_per_cu: int
    waves_per_simd: float
    theoretical: float

    def __str__(self) -> str:
        sign = "<=" if self.raises else ">="
        wants = " and ".join(f"{_LABELS[key]} {sign} {value}" for key, value in self.bounds.items())
        verb = "give" if len(self.bounds) > 1 else "gives"
        if self.workgroups_per_cu == 0:
            return f"{wants} cannot be launched"
        return f"{wants} {verb} {self.waves_per_simd:g} waves per SIMD ({self.theoretical:.1%})"


class Occupancy(Struct, frozen=True):
    """``theoretical`` is the share of wave slots that one kernel alone can fill, 0 to 1."""

    theoretical: float
    waves_per_simd: float
    workgroups_per_cu: int
    waves_per_workgroup: int
    max_waves_per_simd: int
    limiter: str  # vgpr, sgpr, lds, barriers, slots, workgroup_size or launch_impossible
    limiters: tuple[str, ...]  # every resource that is equally tight
    limits: Mapping[str, int]  # resource -> workgroups per CU that it alone would allow
    reason: Optional[str]  # why a launch is impossible
    next_up: Optional[Step]  # the smallest change that lets one more workgroup in
    next_down: tuple[Step, ...]  # per resource, the next value that costs a workgroup
    compiler: CompilerOccupancy


def occupancy(
    device: Union[Target, DeviceFacts],
    *,
    arch_vgpr: int,
    workgroup_size: int,
    accum_vgpr: int = 0,
    sgpr: Optional[int] = None,
    lds_bytes: int = 0,
    wave_size: Optional[int] = None,
    wgp_mode: Optional[bool] = None,
) -> Occupancy:
    """Occupancy of one kernel launch.

    ``lds_bytes`` is static plus dynamic LDS of a workgroup. ``sgpr=None`` (not recorded) leaves
    SGPRs out. ``wave_size`` and ``wgp_mode`` default to what HIP compiles for on the target.
    Registers may be exact or already rounded to the allocation granule.
    """
    target = device.target if isinstance(device, DeviceFacts) else device
    kernel = KernelResources(
        target=target,
        vgprs=allocated_vgprs(target, arch_vgpr, accum_vgpr),
        sgprs=sgpr,
        lds_bytes=lds_bytes,
        workgroup_size=workgroup_size,
        wave_size=target.default_wave_size if wave_size is None else wave_size,
        wgp_mode=target.has_wgp_mode if wgp_mode is None else wgp_mode,
    )
    _check(kernel, arch_vgpr, accum_vgpr)
    limits = _limits(kernel)
    reason = _impossible(kernel, limits)
    workgroups = 0 if reason else min(limits.values())
    limiters = _limiters(kernel, limits, workgroups, reason)
    return Occupancy(
        theoretical=_share(kernel, workgroups),
        waves_per_simd=_waves_per_simd(kernel, workgroups),
        workgroups_per_cu=workgroups,
        waves_per_workgroup=kernel.waves_per_workgroup,
        max_waves_per_simd=target.max_waves_per_simd,
        limiter=limiters[0],
        limiters=limiters,
        limits=limits,
        reason=reason,
        next_up=_next_up(kernel, limits, workgroups),
        next_down=_next_down(kernel, workgroups),
        compiler=compiler_occupancy(
            target,
            vgpr_waves=_vgpr_waves(kernel),
            sgprs=sgpr,
            lds_bytes=lds_bytes,
            lds_pool=kernel.lds_pool,
            waves_per_workgroup=kernel.waves_per_workgroup,
            simds=kernel.simds,
            workgroup_slots=min(limits[SLOTS], limits.get(BARRIERS, limits[SLOTS])),
        ),
    )


def allocated_vgprs(target: Target, arch_vgpr: int, accum_vgpr: int) -> int:
    """Registers a wave takes: on gfx90a and later CDNA accumulation registers follow arch ones. On
    gfx908 they have a file of their own, of which a wave takes as much as of the other."""
    if not target.unified_vgprs or accum_vgpr == 0:
        return max(arch_vgpr, accum_vgpr)
    return round_up(arch_vgpr, target.count("vgpr.accum_offset_granule")) + accum_vgpr


def _check(kernel: KernelResources, arch_vgpr: int, accum_vgpr: int) -> None:
    counts = {
        "arch VGPR count": arch_vgpr,
        "accumulation VGPR count": accum_vgpr,
        "SGPR count": kernel.sgprs or 0,
        "LDS size": kernel.lds_bytes,
    }
    for name, value in counts.items():
        if value < 0:
            raise UsageError(f"{name} must not be negative, got {value}")
    if kernel.workgroup_size < 1:
        raise UsageError(f"workgroup size must be at least 1, got {kernel.workgroup_size}")
    target = kernel.target
    if kernel.wave_size not in target.wave_sizes:
        raise UsageError(f"{target.name} has no wave size {kernel.wave_size}")
    if kernel.wgp_mode and not target.has_wgp_mode:
        raise UsageError(f"{target.name} has no WGP mode")


# ---- what each resource allows -------------------------------------------------------------------


def _limits(kernel: KernelResources) -> dict[str, int]:
    waves = kernel.waves_per_workgroup
    limits = {
        VGPR: _vgpr_waves(kernel) * kernel.simds // waves,
        SLOTS: kernel.slots // waves,
    }
    if kernel.lds_bytes > 0:
        limits[LDS] = kernel.lds_pool // round_up(
            kernel.lds_bytes, kernel.target.count("lds.granule")
        )
    if kernel.sgprs is not None and kernel.target.optional_count("sgpr.total") is not None:
        limits[SGPR] = _sgpr_waves(kernel, kernel.sgprs) * kernel.simds // waves
    if waves > 1:  # a workgroup of one wave takes no barrier
        limits[BARRIERS] = kernel.barriers
    return limits


def _vgpr_waves(kernel: KernelResources) -> int:
    """Waves per SIMD that the vector registers allow."""
    file = kernel.target.vgpr_file(kernel.wave_size)
    allocated = max(round_up(kernel.vgprs, file.granule), file.granule)
    return min(file.total // allocated, kernel.target.max_waves_per_simd)


def _sgpr_waves(kernel: KernelResources, sgprs: int) -> int:
    target = kernel.target
    allocated = round_up(max(sgprs, 1), target.count("sgpr.granule"))
    return min(target.count("sgpr.total") // allocated, target.max_waves_per_simd)


def _impossible(kernel: KernelResources, limits: Mapping[str, int]) -> Optional[str]:
    target = kernel.target
    largest = {
        "workgroup size": (kernel.workgroup_size, target.max_workgroup_size),
        "VGPR count": (kernel.vgprs, target.count("vgpr.addressable")),
        "LDS of a workgroup": (kernel.lds_bytes, target.count("lds.max_bytes_per_workgroup")),
    }
    for name, (value, maximum) in largest.items():
        if value > maximum:
            return f"{name} {value} is more than the {maximum} of {target.name}"
    for name in (VGPR, SGPR, SLOTS):
        if limits.get(name) == 0:
            return (
                f"a workgroup of {kernel.waves_per_workgroup} waves does not fit on"
                f" {kernel.simds} SIMDs: {_LABELS.get(name, name)} allow too few waves"
            )
    return None


def _limiters(
    kernel: KernelResources, limits: Mapping[str, int], workgroups: int, reason: Optional[str]
) -> tuple[str, ...]:
    if reason is not None:
        return (LAUNCH_IMPOSSIBLE,)
    if workgroups == limits[SLOTS]:
        full = workgroups * kernel.waves_per_workgroup == kernel.slots
        return (SLOTS,) if full else (WORKGROUP_SIZE,)
    return tuple(name for name in _RESOURCES if limits.get(name) == workgroups)


# ---- what would change the result ----------------------------------------------------------------


def _next_up(kernel: KernelResources, limits: Mapping[str, int], workgroups: int) -> Optional[Step]:
    """Bounds on everything that keeps one more workgroup out; None when no such bounds exist."""
    wanted = workgroups + 1
    if kernel.workgroup_size > kernel.target.max_workgroup_size:
        return None
    if any(limits.get(name, wanted) < wanted for name in (SLOTS, BARRIERS)):
        return None
    bounds: dict[str, int] = {}
    for name, value in _values(kernel).items():
        largest = _largest_value(kernel, name, wanted)
        if largest is None:
            return None
        if value > largest:
            bounds[name] = largest
    return _step(kernel, bounds, raises=True)


def _next_down(kernel: KernelResources, workgroups: int) -> tuple[Step, ...]:
    """Per resource the smallest value above the present one that costs a workgroup."""
    if workgroups == 0:
        return ()
    steps = []
    for name in _values(kernel):
        largest = _largest_value(kernel, name, workgroups)
        if largest is not None and largest < _ceiling(kernel, name):
            steps.append(_step(kernel, {name: largest + 1}, raises=False))
    return tuple(steps)


def _values(kernel: KernelResources) -> dict[str, int]:
    """The resources that a programmer can change, with their present values."""
    values = {VGPR: kernel.vgprs, LDS: kernel.lds_bytes}
    if kernel.sgprs is not None and kernel.target.optional_count("sgpr.total") is not None:
        values[SGPR] = kernel.sgprs
    return values


def _largest_value(kernel: KernelResources, name: str, workgroups: int) -> Optional[int]:
    """The largest value of one resource with which so many workgroups still fit."""
    if name == LDS:
        granule = kernel.target.count("lds.granule")
        largest = kernel.lds_pool // workgroups // granule * granule
    else:
        waves = -(-workgroups * kernel.waves_per_workgroup // kernel.simds)
        if waves > kernel.target.max_waves_per_simd:
            return None
        total, granule = _register_file(kernel, name)
        largest = total // waves // granule * granule
    return min(largest, _ceiling(kernel, name))


def _register_file(kernel: KernelResources, name: str) -> tuple[int, int]:
    if name == VGPR:
        file = kernel.target.vgpr_file(kernel.wave_size)
        return file.total, file.granule
    return kernel.target.count("sgpr.total"), kernel.target.count("sgpr.granule")


def _ceiling(kernel: KernelResources, name: str) -> int:
    """No launch can have more than this."""
    key = {
        VGPR: "vgpr.addressable",
        SGPR: "sgpr.max_allocated",
        LDS: "lds.max_bytes_per_workgroup",
    }[name]
    return kernel.target.count(key)


def _step(kernel: KernelResources, bounds: Mapping[str, int], *, raises: bool) -> Step:
    changed = replace(
        kernel,
        vgprs=bounds.get(VGPR, kernel.vgprs),
        sgprs=bounds.get(SGPR, kernel.sgprs) if kernel.sgprs is not None else None,
        lds_bytes=bounds.get(LDS, kernel.lds_bytes),
    )
    limits = _limits(changed)
    workgroups = 0 if _impossible(changed, limits) else min(limits.values())
    return Step(
        bounds=bounds,
        raises=raises,
        workgroups_per_cu=workgroups,
        waves_per_simd=_waves_per_simd(kernel, workgroups),
        theoretical=_share(kernel, workgroups),
    )


def _waves_per_simd(kernel: KernelResources, workgroups: int) -> float:
    return workgroups * kernel.waves_per_workgroup / kernel.simds


def _share(kernel: KernelResources, workgroups: int) -> float:
    return workgroups * kernel.waves_per_workgroup / kernel.slots
