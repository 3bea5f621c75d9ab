"""How many registers a kernel takes, from two witnesses: its metadata and its descriptor.

Metadata has exact counts, the descriptor what the hardware allocates. Compilers keep them in
agreement; hand-written assembly does not always (published kernels state arch registers where the
sum of both kinds belongs, or fewer SGPRs). Where they contradict, the hardware follows the
descriptor, and so does this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.arch.target import Target, round_up
from rocm_perf_lab.codeobject.descriptor import KernelDescriptor
from rocm_perf_lab.codeobject.notes import KernelMetadata


@dataclass(frozen=True)
class Registers:
    arch_vgpr: int
    accum_vgpr: int
    total_vgpr: int  # what the wave takes of the register file
    sgpr: int


def allocated_registers(
    kernel: KernelMetadata, facts: Optional[Target], descriptor: Optional[KernelDescriptor]
) -> Registers:
    if facts is None:
        return _stated(kernel, unified=False, accum=kernel.agpr_count or 0)
    total = descriptor.total_vgprs(facts) if descriptor else None
    arch = descriptor.arch_vgprs(facts) if descriptor else None
    if descriptor is None or total is None or arch is None:
        return _stated(kernel, unified=facts.unified_vgprs, accum=kernel.agpr_count or 0)

    accum = kernel.agpr_count
    if accum is None:
        accum = max(kernel.vgpr_count - arch, 0) if facts.unified_vgprs else 0
    stated = _stated(kernel, unified=facts.unified_vgprs, accum=accum)
    granule = facts.vgpr_file(descriptor.wave_size).encoding_granule
    vgprs_agree = round_up(max(stated.total_vgpr, 1), granule) == total
    sgprs_agree = facts.optional_count("sgpr.total") is None or (
        round_up(max(stated.sgpr, 1), facts.count("sgpr.granule")) == descriptor.sgprs(facts)
    )
    return Registers(
        arch_vgpr=stated.arch_vgpr if vgprs_agree else arch,
        accum_vgpr=stated.accum_vgpr if vgprs_agree else total - arch,
        total_vgpr=stated.total_vgpr if vgprs_agree else total,
        sgpr=stated.sgpr if sgprs_agree else descriptor.sgprs(facts),
    )


def _stated(kernel: KernelMetadata, *, unified: bool, accum: int) -> Registers:
    """The metadata's counts; ``.vgpr_count`` is the sum where both kinds share a file."""
    total = kernel.vgpr_count
    accum = min(accum, total) if unified else accum
    return Registers(total - accum if unified else total, accum, total, kernel.sgpr_count)
