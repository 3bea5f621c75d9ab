"""What a compute unit of the target has: how many waves it takes, how fast its matrix units are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.arch.target import Target


@dataclass(frozen=True)
class ComputeUnit:
    simds: int
    slots_per_simd: int  # for waves
    # Times what vector instructions make in a cycle; 0 where no matrix unit takes the type.
    matrix_rate_double: float = 0.0
    matrix_rate_single: float = 0.0
    matrix_rate_narrow: float = 0.0

    @property
    def wave_slots(self) -> int:
        return self.simds * self.slots_per_simd


def compute_unit_of(target: Optional[Target]) -> Optional[ComputeUnit]:
    if target is None:
        return None
    return ComputeUnit(
        simds=target.simds_per_cu,
        slots_per_simd=target.max_waves_per_simd,
        matrix_rate_double=_times(target, "fp64", "fp64"),
        # Code that is not packed by hand issues one operation of FP32 for each lane.
        matrix_rate_single=_times(target, "fp32", "fp32_single_issue"),
        matrix_rate_narrow=_times(target, "fp16", "fp16"),
    )


def _times(target: Target, matrix: str, vector: str) -> float:
    return (target.rate(matrix, "matrix") or 0.0) / (target.rate(vector) or 1.0)
