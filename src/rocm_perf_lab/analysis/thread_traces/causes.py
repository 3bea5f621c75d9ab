"""What the watched waves waited for: stalls by their cause, not by where they were counted."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.code.instruction_mix import InstructionClass, InstructionMix
from rocm_perf_lab.analysis.thread_traces.waits import WaitAnalysis

BARRIER, GLOBAL, LDS = "barrier", "global memory", "LDS"
SCALAR, SPILL, MATRIX = "scalar loads", "spilled registers", "matrix dependency"
_MEMORY = {
    InstructionClass.VMEM: GLOBAL,
    InstructionClass.LDS: LDS,
    InstructionClass.SMEM: SCALAR,
}


def waiting_causes(mix: InstructionMix, waits: Optional[WaitAnalysis]) -> dict[str, float]:
    """Shares of all stall, the largest first; what is left was stalled for other reasons.

    A wait is split by what came back last. Without waves nobody knows what it was for.
    """
    total = mix.total.stall
    if not total:
        return {}
    stalls = {
        BARRIER: float(_stall(mix, "s_barrier")),
        MATRIX: float(mix.by_class[InstructionClass.MFMA].stall)
        if InstructionClass.MFMA in mix.by_class
        else 0.0,
    }
    for kind, memory in (waits.memory if waits else {}).items():
        name = _MEMORY.get(kind)
        if name is not None:
            stalls[name] = float(memory.stall)
    spilled = (waits.scratch_share or 0.0) * _stall(mix, "s_wait") if waits else 0.0
    if spilled:
        stalls[SPILL] = spilled
        stalls[GLOBAL] = max(0.0, stalls.get(GLOBAL, 0.0) - spilled)
    ranked = sorted(stalls.items(), key=lambda item: (-item[1], item[0]))
    return {name: stall / total for name, stall in ranked if stall}


def _stall(mix: InstructionMix, prefix: str) -> int:
    return sum(cost.stall for name, cost in mix.by_opcode.items() if name.startswith(prefix))
