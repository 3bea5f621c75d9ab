"""Turns what the code of a kernel shows into the block of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from rocm_perf_lab.analysis.code.hot import innermost
from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass
from rocm_perf_lab.analysis.code.register_pressure import Addressed, register_pressure
from rocm_perf_lab.analysis.code.static_code import static_code
from rocm_perf_lab.analysis.documents.schemas import static_code as schema
from rocm_perf_lab.codeobject import KernelInfo

MOST_LINES = 10


def static_block(
    source: str, kernel: Optional[KernelInfo], listing: Sequence[Addressed]
) -> schema.StaticCodeModel:
    """``kernel`` is None where only the code was listed. Raises ValueError if it is empty."""
    code = static_code(kernel, listing)
    return schema.StaticCodeModel(
        source=source,
        instructions=code.instructions,
        instruction_mix={kind.value: code.share(kind) for kind in InstructionClass},
        vgpr_spills=code.vgpr_spills,
        sgpr_spills=code.sgpr_spills,
        scratch_bytes=code.scratch_bytes,
        scratch_accesses=code.scratch_accesses,
        scratch_lines=[
            schema.ScratchLineModel(source=line.source, stores=line.stores, loads=line.loads)
            for line in code.scratch_lines[:MOST_LINES]
        ],
        register_pressure=_pressure(kernel, listing),
    )


def _pressure(
    kernel: Optional[KernelInfo], listing: Sequence[Addressed]
) -> schema.RegisterPressureModel:
    found = register_pressure(listing)
    peak = listing[found.peak]
    return schema.RegisterPressureModel(
        peak_vgpr=found.at_peak.vgpr,
        peak_accum_vgpr=found.at_peak.accum_vgpr,
        peak_sgpr=found.peak_sgpr,
        instruction=peak.text,
        address=peak.address,
        source=innermost(peak.source) or None,
        allocated_vgpr=kernel.arch_vgpr + kernel.accum_vgpr if kernel else None,
        lines=[
            schema.LinePressureModel(
                source=line.source,
                vgpr=line.pressure.vgpr,
                accum_vgpr=line.pressure.accum_vgpr,
                sgpr=line.pressure.sgpr,
            )
            for line in found.lines[:MOST_LINES]
        ],
        caveats=list(found.caveats),
    )
