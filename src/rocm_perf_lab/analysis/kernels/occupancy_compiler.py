"""The occupancy that LLVM prints in its assembly ("; Occupancy: 8").

It counts waves per SIMD as if waves were placed one by one, so it can be higher than what whole
workgroups reach, and it changed between LLVM versions: LLVM 19 has a table for SGPRs and ignores
the LDS allocation granule, LLVM main (2026) divides the SGPR file with a reserve for the trap
handler and rounds LDS. Both figures are given, because the compiler that built a code object is
rarely recorded with it.
"""

from __future__ import annotations

from typing import Optional

from msgspec import Struct

from rocm_perf_lab.arch.target import Target, round_up

# LLVM 19, getNumWavesPerEUWithNumSGPRs for gfx8 and gfx9: (largest SGPR count, waves).
_LLVM19_SGPR_WAVES = ((80, 10), (88, 9), (100, 8))
_LLVM19_SGPR_WAVES_BEYOND = 7


class CompilerOccupancy(Struct, frozen=True):
    """Waves per SIMD, by compiler version."""

    llvm19: int
    llvm_main: int


def compiler_occupancy(
    target: Target,
    *,
    vgpr_waves: int,
    sgprs: Optional[int],
    lds_bytes: int,
    lds_pool: int,
    waves_per_workgroup: int,
    simds: int,
    workgroup_slots: int,
) -> CompilerOccupancy:
    """LLVM's figures.

    ``vgpr_waves`` is what the vector registers allow per SIMD, ``workgroup_slots`` the workgroups
    that wave slots and barriers allow.
    LLVM works with the largest workgroup size that the kernel declares; a launch may use less.
    """

    def by_lds(allocated: int) -> int:
        workgroups = workgroup_slots
        if allocated > 0:
            workgroups = min(workgroups, lds_pool // allocated)
        return max(-(-workgroups * waves_per_workgroup // simds), 1)

    most = target.max_waves_per_simd
    by_vgpr = max(vgpr_waves, 1)
    rounded_lds = round_up(lds_bytes, target.count("lds.llvm_granule"))
    return CompilerOccupancy(
        llvm19=min(by_vgpr, _llvm19_sgpr_waves(target, sgprs), by_lds(lds_bytes), most),
        llvm_main=min(by_vgpr, _llvm_main_sgpr_waves(target, sgprs), by_lds(rounded_lds), most),
    )


def _llvm19_sgpr_waves(target: Target, sgprs: Optional[int]) -> int:
    most = target.max_waves_per_simd
    if sgprs is None or target.optional_count("sgpr.total") is None:
        return most
    for largest, waves in _LLVM19_SGPR_WAVES:
        if sgprs <= largest:
            return min(waves, most)
    return min(_LLVM19_SGPR_WAVES_BEYOND, most)


def _llvm_main_sgpr_waves(target: Target, sgprs: Optional[int]) -> int:
    most = target.max_waves_per_simd
    total = target.optional_count("sgpr.total")
    if sgprs is None or total is None:
        return most
    allocated = round_up(sgprs, target.count("sgpr.granule")) + target.count("sgpr.trap_reserve")
    return min(max(total // allocated, 1), most)
