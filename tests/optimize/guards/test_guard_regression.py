"""Architectural regression, from profiles that the real analysis made of two traces."""

from __future__ import annotations

from typing import Optional

import pytest
from launch_traces import OTHER, WORK, Launched, trace

from rocm_perf_lab.analysis.documents.profile import Origin, RunInput, build_profile
from rocm_perf_lab.analysis.documents.schemas.profile import ProfileDocument
from rocm_perf_lab.analysis.documents.schemas.roofline import (
    KernelRooflineModel,
    LevelModel,
    RooflineDocument,
)
from rocm_perf_lab.optimize.guards.regression import Thresholds, check_regression
from rocm_perf_lab.strict_json import replace


def profile(
    nanoseconds: int = 1000,
    other: int = 1000,
    dram: Optional[float] = 1000.0,
    **resources: int,
) -> ProfileDocument:
    launches = [Launched(nanoseconds=nanoseconds), Launched(OTHER, nanoseconds=other)]
    made = build_profile([RunInput(trace(launches, **resources))], Origin("hardware", "test"))
    return replace(made, rooflines=None if dram is None else rooflines(dram))


def rooflines(dram: float) -> RooflineDocument:
    level = LevelModel(level="fabric", bytes=dram, read_bytes=None, written_bytes=None)
    kernel = KernelRooflineModel(
        kernel=WORK, launches=1, mean_ns=1.0, coverage=1.0, flops=None, flops_by_pipe={},
        flops_method="none", levels=[level], arithmetic_intensity=None, ridge=None, flop_rate=None,
        byte_rate=None, bound=None, binding=None, reached=None, ceilings=[], suspect=False,
        reasons={}, caveats=[],
    )  # fmt: skip
    return RooflineDocument(
        schema_version="1.0", tool_version="test", target="gfx942", virtual=False,
        time_source="trace", roofs=[], kernels=[kernel], launches=[], notes=[],
    )  # fmt: skip


BEFORE = profile(vgpr=64, static_lds=8192)
SAME = {"vgpr": 64, "static_lds": 8192}

WORSE = {
    "runtime": (profile(1000, 1130, **SAME), "runtime 0.002 became 0.00213 (+6.5%, 5% allowed)"),
    "vgpr": (profile(**{**SAME, "vgpr": 80}), "vgpr 64 became 80 (+25.0%, 20% allowed)"),
    "lds": (profile(**{**SAME, "static_lds": 11264}), "lds 8192 became 11264 (+37.5%"),
    "dram_bytes": (
        profile(dram=1150.0, **SAME),
        "dram bytes 1000 became 1150 (+15.0%, 10% allowed); the kernel is +0.0% faster, 2%",
    ),
    "spills": (profile(scratch=16, **SAME), "spills 0 became 16 (from nothing, 0% allowed)"),
}


def reasons(after: ProfileDocument, **limits: Optional[float]) -> set[str]:
    verdict = check_regression(BEFORE, after, WORK, Thresholds(**limits))
    assert all(refusal.stage.value == "regression" for refusal in verdict.refusals)
    return {refusal.reason for refusal in verdict.refusals}


@pytest.mark.parametrize("reason", WORSE)
def test_each_limit_has_its_name_and_numbers(reason: str) -> None:
    after, text = WORSE[reason]
    verdict = check_regression(BEFORE, after, WORK)
    messages = {refusal.reason: refusal.message for refusal in verdict.refusals}
    assert reason in messages
    assert text in messages[reason]


def test_lower_occupancy_is_refused() -> None:
    after = profile(**{**SAME, "vgpr": 168})
    assert "occupancy" in reasons(after)
    assert "occupancy" not in reasons(after, occupancy=0.9)


def test_what_is_within_the_limits_passes() -> None:
    assert reasons(profile(1000, 1090, dram=1090.0, vgpr=72, static_lds=8704)) == set()
    assert reasons(profile(500, 500, dram=500.0, vgpr=32, static_lds=1024)) == set()


def test_more_traffic_is_waived_for_a_faster_kernel() -> None:
    assert reasons(profile(970, dram=2000.0, **SAME)) == set()
    assert reasons(profile(985, dram=2000.0, **SAME)) == {"dram_bytes"}
    assert reasons(profile(985, dram=2000.0, **SAME), dram_waiver=0.01) == set()


@pytest.mark.parametrize(
    ("nanoseconds", "vgpr", "refused"),
    [
        (500, 40, set()),  # faster, and as many waves
        (980, 40, set()),  # just fast enough
        (985, 40, {"vgpr"}),
        (1000, 40, {"vgpr"}),
        (500, 168, {"vgpr", "occupancy"}),  # waves were lost
    ],
)
def test_more_registers_are_waived_where_they_cost_nothing(
    nanoseconds: int, vgpr: int, refused: set[str]
) -> None:
    before = profile(**{**SAME, "vgpr": 32})
    after = profile(nanoseconds, **{**SAME, "vgpr": vgpr})
    for waived in (True, False):
        limits = Thresholds(growth_waiver=waived)
        found = {one.reason for one in check_regression(before, after, WORK, limits).refusals}
        assert found == (refused if waived else {"vgpr", *refused})


def test_nothing_is_waived_where_the_occupancy_is_not_known() -> None:
    after = profile(500, **{**SAME, "vgpr": 80})
    rows = [replace(row, occupancy=None) for row in after.kernels]
    after = replace(after, kernels=rows)
    verdict = check_regression(BEFORE, after, WORK, Thresholds(growth_waiver=True))
    assert [refusal.reason for refusal in verdict.refusals] == ["vgpr"]
    assert verdict.unknown == ("occupancy",)


def test_spills_can_be_allowed() -> None:
    after, _ = WORSE["spills"]
    assert check_regression(BEFORE, after, WORK, Thresholds(spills=False)).refusals == ()


@pytest.mark.parametrize("reason", [name for name in WORSE if name != "spills"])
def test_every_limit_can_be_changed(reason: str) -> None:
    after, _ = WORSE[reason]
    assert reason not in reasons(after, **{reason: 1.0})
    assert reason not in reasons(after, **{reason: None})


def test_what_is_not_known_is_said_and_not_judged() -> None:
    verdict = check_regression(BEFORE, profile(dram=None, **SAME), WORK)
    assert verdict.refusals == ()
    assert verdict.unknown == ("dram_bytes",)


def test_a_kernel_that_did_not_run_is_refused() -> None:
    launches = [Launched(OTHER)]
    after = build_profile([RunInput(trace(launches))], Origin("hardware", "test"))
    (refusal,) = check_regression(BEFORE, after, WORK).refusals
    assert refusal.message == f"{WORK} is not in the candidate's profile"
