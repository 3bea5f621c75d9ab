"""Counters of waiting, which come from the timing simulation: what must hold of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hip_support import ROOT, compiled, needs_hip, shared_folder, trace_records

pytestmark = needs_hip

Counters = dict[str, float]
CALIBRATION = ROOT / "benchmarks" / "kernels" / "calibration"
CUS, CHANNELS, XCDS = 304, 128, 8
UNLOADED_FABRIC_CYCLES = 208  # Infinity Cache, seen from the L2


def dispatches(tmp_path_factory: pytest.TempPathFactory, program: Path) -> list[Counters]:
    trace = tmp_path_factory.mktemp("trace")
    records = trace_records(program, trace, environment={"VROCM_COUNTERS": "1"})
    return [record["counters"] for record in records]


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> list[Counters]:
    program = compiled(shared_folder(tmp_path_factory), CALIBRATION / "vec_copy.hip", "-O3")
    return dispatches(tmp_path_factory, program)


@pytest.fixture(scope="module")
def fill(tmp_path_factory: pytest.TempPathFactory) -> Counters:
    program = compiled(shared_folder(tmp_path_factory), CALIBRATION / "fill.hip", "-O3")
    return dispatches(tmp_path_factory, program)[-1]


def test_no_part_is_busy_longer_than_the_dispatch_lasts(
    copies: list[Counters], fill: Counters
) -> None:
    for counters in (*copies, fill):
        cycles = counters["max(GRBM_GUI_ACTIVE)"]
        assert counters["TCP_GATE_EN1"] == pytest.approx(CUS * cycles, rel=1e-3)
        assert 0 < counters["TD_TC_STALL"] <= counters["TD_TD_BUSY"] <= counters["TCP_GATE_EN1"]
        assert 0 < counters["TCP_PENDING_STALL_CYCLES"] <= counters["TCP_GATE_EN2"]
        assert 0 < counters["TA_TA_BUSY"] <= CUS * cycles
        for name in ("TCC_TAG_STALL", "TCC_EA0_WRREQ_STALL", "TCC_EA0_RDREQ_DRAM_CREDIT_STALL"):
            assert counters[name] <= CHANNELS * cycles


def test_the_busiest_instance_lies_between_the_mean_and_the_sum(fill: Counters) -> None:
    for name, instances in (
        ("TA_TA_BUSY", CUS),
        ("TCP_TCP_TA_DATA_STALL_CYCLES", CUS),
        ("TCC_EA0_WRREQ_STALL", CHANNELS),
    ):
        assert fill[name] / instances <= fill[f"max({name})"] * 1.001
        assert fill[f"max({name})"] <= fill[name] / XCDS
    assert 0 < fill["min(TA_TA_BUSY)"] <= fill["TA_TA_BUSY"] / CUS <= fill["max(TA_TA_BUSY)"]


def test_fabric_requests_take_at_least_the_way_to_the_infinity_cache(
    copies: list[Counters], fill: Counters
) -> None:
    for counters in copies:
        assert counters["TCC_EA0_RDREQ_LEVEL"] > UNLOADED_FABRIC_CYCLES * 65536
    for counters in (*copies, fill):
        mean = counters["TCC_EA0_WRREQ_LEVEL"] / counters["TCC_EA0_WRREQ"]
        assert UNLOADED_FABRIC_CYCLES <= mean < 3 * UNLOADED_FABRIC_CYCLES
        assert counters["TCC_EA0_ATOMIC_LEVEL"] == 0


def test_the_first_launch_misses_pages_and_waits_for_memory(copies: list[Counters]) -> None:
    first, *_, last = copies
    assert first["TCC_EA0_RDREQ_LEVEL"] > 1.3 * last["TCC_EA0_RDREQ_LEVEL"]
    # Two arrays of 8 MB are four or five pages of 2 MB each.
    assert 8 * CUS <= first["TCP_UTCL1_TRANSLATION_MISS"] <= 10 * CUS
    assert last["TCP_UTCL1_TRANSLATION_MISS"] == 0
    for counters in (first, last):
        looked_up = counters["TCP_UTCL1_TRANSLATION_HIT"] + counters["TCP_UTCL1_TRANSLATION_MISS"]
        assert looked_up == counters["TCP_UTCL1_REQUEST"]


def test_a_fill_loads_nothing_and_its_stores_wait(fill: Counters) -> None:
    assert fill["TA_ADDR_STALLED_BY_TC_CYCLES"] == 0
    assert fill["TA_DATA_STALLED_BY_TC_CYCLES"] == fill["TCP_TCP_TA_DATA_STALL_CYCLES"] > 0
    assert fill["TCC_EA0_WRREQ_STALL"] == fill["TCC_EA0_WRREQ_DRAM_CREDIT_STALL"] > 0
    assert fill["TCP_TCR_TCP_STALL_CYCLES"] > 0
    assert fill["TD_TC_STALL"] == fill["TD_TD_BUSY"]  # no data comes back


def test_levels_are_read_when_nothing_is_under_way_any_more(copies: list[Counters]) -> None:
    for name in ("SQ_LEVEL_WAVES", "SQ_INST_LEVEL_VMEM", "SQ_INST_LEVEL_SMEM", "SQ_IFETCH_LEVEL"):
        assert copies[-1][name] == 0
        assert copies[-1][f"accumulate({name})"] > 0
