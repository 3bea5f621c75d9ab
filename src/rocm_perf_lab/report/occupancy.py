"""What other registers, LDS and workgroup sizes would allow: tables behind the sliders of a page.

Each entry is computed by the occupancy model; a page only looks up and takes the least.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.analysis.documents.schemas.profile import KernelRowModel
from rocm_perf_lab.analysis.kernels.occupancy import BARRIERS, LDS, SGPR, SLOTS, VGPR, occupancy
from rocm_perf_lab.arch.target import Target, load_target
from rocm_perf_lab.errors import PerfLabError

_LDS_STEPS = 64
_SIZE_STEP = 64  # of workgroups: a whole number of waves on every target


@dataclass(frozen=True)
class Sliders:
    """Workgroups per CU that each resource alone would allow, by the steps of the sliders."""

    wave_size: int
    simds: int
    slots: int
    vgprs: tuple[int, ...]
    lds_bytes: tuple[int, ...]
    workgroup_sizes: tuple[int, ...]
    by_vgpr: tuple[tuple[int, ...], ...]  # [workgroup size][vgprs]
    by_lds: tuple[int, ...]
    by_slots: tuple[int, ...]  # by workgroup size
    by_barriers: tuple[Optional[int], ...]


def sliders_of(gfx: Optional[str], wave_size: int) -> Optional[Sliders]:
    """None for a target of which nothing is known."""
    if gfx is None:
        return None
    try:
        target = load_target(gfx)
    except PerfLabError:
        return None
    if wave_size not in target.wave_sizes:
        return None
    return _tables(target, wave_size)


def sgpr_limits(sliders: Sliders, gfx: str, sgpr: Optional[int]) -> tuple[Optional[int], ...]:
    """By workgroup size; None where scalar registers limit nothing."""
    target = load_target(gfx)
    return tuple(
        occupancy(
            target, arch_vgpr=1, sgpr=sgpr, workgroup_size=size, wave_size=sliders.wave_size
        ).limits.get(SGPR)
        for size in sliders.workgroup_sizes
    )


def has_sliders(row: KernelRowModel) -> bool:
    return row.occupancy is not None and row.resources is not None


def _tables(target: Target, wave_size: int) -> Sliders:
    granule = target.vgpr_file(wave_size).granule
    vgprs = tuple(range(granule, target.count("vgpr.addressable") + 1, granule))
    most_lds = target.count("lds.max_bytes_per_workgroup")
    lds = tuple(most_lds * step // _LDS_STEPS for step in range(_LDS_STEPS + 1))
    sizes = tuple(range(_SIZE_STEP, target.max_workgroup_size + 1, _SIZE_STEP))
    limits = [
        [
            occupancy(target, arch_vgpr=count, workgroup_size=size, wave_size=wave_size).limits
            for count in vgprs
        ]
        for size in sizes
    ]
    whole = occupancy(target, arch_vgpr=1, workgroup_size=wave_size, wave_size=wave_size)
    slots = whole.limits[SLOTS]  # a workgroup of one wave: as many as there are slots
    return Sliders(
        wave_size=wave_size,
        simds=slots // whole.max_waves_per_simd,
        slots=slots,
        vgprs=vgprs,
        lds_bytes=lds,
        workgroup_sizes=sizes,
        by_vgpr=tuple(tuple(one[VGPR] for one in of_size) for of_size in limits),
        by_lds=tuple(_lds_limit(target, count, wave_size, slots) for count in lds),
        by_slots=tuple(of_size[0][SLOTS] for of_size in limits),
        by_barriers=tuple(of_size[0].get(BARRIERS) for of_size in limits),
    )


def _lds_limit(target: Target, lds_bytes: int, wave_size: int, slots: int) -> int:
    found = occupancy(
        target, arch_vgpr=1, lds_bytes=lds_bytes, workgroup_size=wave_size, wave_size=wave_size
    )
    return found.limits.get(LDS, slots)
