"""The formula of each metric as people read it.

Names in capitals are counters of a launch. A test computes each text and compares it with what the
metric's own function says.
"""

from __future__ import annotations

from collections.abc import Mapping

from rocm_perf_lab.analysis.verdicts.formulas import (
    CONVERSIONS,
    DOUBLE,
    FLOPS,
    FUSED,
    LOADS,
    SPECIAL,
)

_CYCLES = "(min(GRBM_GUI_ACTIVE / XCDs, time_ns * clock_MHz / 1000) * CUs)"
_WAVES = "workgroups * ceil(workgroup_size / wave_size)"

_PAIRS = " + ".join(
    f"min(SQ_INSTS_VALU_MUL_{kind}, SQ_INSTS_VALU_ADD_{kind})" for kind in ("F16", "F32", "F64")
)


def _sum(names: tuple[str, ...]) -> str:
    return f"({' + '.join(names)})"


FORMULAS: Mapping[str, str] = {
    "launch_floor": "min(1, shortest_launch_ns / time_ns)",
    "matrix_busy": f"SQ_VALU_MFMA_BUSY_CYCLES / (4 * {_CYCLES})",
    "vector_busy": f"SQ_ACTIVE_INST_VALU / {_CYCLES}",
    "lanes_active": "SQ_THREAD_CYCLES_VALU / SQ_ACTIVE_INST_VALU / wave_size",
    "lane_fill": "workgroup_size / (ceil(workgroup_size / wave_size) * wave_size)",
    "lds_busy": f"min(1, SQ_LDS_IDX_ACTIVE / {_CYCLES})",
    "lds_conflicts": "SQ_LDS_BANK_CONFLICT / SQ_LDS_IDX_ACTIVE",
    "wait_share": "SQ_WAIT_ANY / SQ_WAVE_CYCLES",
    "cus_busy": f"min(1, SQ_BUSY_CU_CYCLES / ({_CYCLES} * "
    "(1 - min(1, shortest_launch_ns / time_ns))))",
    "occupancy": f"4 * SQ_WAVE_CYCLES / ({_CYCLES} * wave_slots_per_CU)",
    "workgroups_per_cu": "workgroups / CUs",
    "waves": _WAVES,
    "atomic_share": "TCC_ATOMIC / TCC_REQ",
    "one_address": "min(1, TCC_ATOMIC * atomic_turn_ns / time_ns)",
    "requests_per_access": "(TCP_TCC_READ_REQ + TCP_TCC_WRITE_REQ) / TA_TOTAL_WAVEFRONTS",
    "lines_per_access": "TCP_TOTAL_CACHE_ACCESSES / TA_TOTAL_WAVEFRONTS",
    "l1_hits": "max(0, 1 - 2 * TCP_TCC_READ_REQ / (TCP_TOTAL_CACHE_ACCESSES - TCP_TCC_WRITE_REQ))",
    "l1_busy": f"min(1, TCP_TOTAL_CACHE_ACCESSES / {_CYCLES})",
    "accesses_per_instruction": "TA_TOTAL_WAVEFRONTS / SQ_INSTS_VALU",
    "accesses_per_wave": f"TA_TOTAL_WAVEFRONTS / ({_WAVES})",
    "flop_share": f"{_sum(FLOPS)} / SQ_INSTS_VALU",
    "conversion_share": f"{CONVERSIONS} / SQ_INSTS_VALU",
    "product_share": f"({' + '.join(FUSED)} + {_PAIRS}) / (SQ_INSTS_VALU - {CONVERSIONS})",
    "narrow_products": f"min(1, (SQ_INSTS_VALU_FMA_F16 + {_PAIRS.split(' + ')[0]} "
    f"+ min({CONVERSIONS}, SQ_INSTS_VALU_FMA_F32 + {_PAIRS.split(' + ')[1]})) "
    f"/ ({' + '.join(FUSED)} + {_PAIRS}))",
    "special_share": f"{_sum(SPECIAL)} / SQ_INSTS_VALU",
    "double_share": f"{_sum(DOUBLE)} / SQ_INSTS_VALU",
    "operands_per_fma": f"{_sum(LOADS)} / {_sum(FUSED)}",
    "l2_hits": "TCC_HIT / (TCC_HIT + TCC_MISS)",
}
