"""G6: times that cannot be, and gains that a person has to look at."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.optimize.guards.plausibility import (
    Ceilings,
    Claim,
    Work,
    ceilings_of,
    check_plausibility,
    floor_ns,
)
from rocm_perf_lab.optimize.refusal import Outcome

DEVICE = Ceilings(bytes_per_second=5e12, flops_per_second={"fp32": 1e14, "fp64": 5e13})
WORK = Work(5e6, 1e6, written=2e6)
CLAIM = Claim(
    10_000.0,
    5_000.0,
    WORK,
    baseline=replace(WORK, written=2e7),
    candidate=replace(WORK, written=1e7),
)


def test_the_floor_is_the_slower_of_both() -> None:
    assert floor_ns(Work(5e6, 1e6), DEVICE) == pytest.approx(1000.0)
    assert floor_ns(Work(5e6, 5e9), DEVICE) == pytest.approx(50_000.0)
    assert floor_ns(Work(5e6), Ceilings(flops_per_second={"fp32": 1e14})) is None
    assert floor_ns(Work(flops=5e9), Ceilings(bytes_per_second=5e12)) is None
    assert floor_ns(Work(), DEVICE) is None


def test_operations_take_the_time_of_their_type() -> None:
    """Those of no known type may be of the fastest one, so that the floor is never too high."""
    both = Work(flops=2e9, flops_by_type={"fp32": 1e9, "fp64": 1e9})
    assert floor_ns(both, DEVICE) == pytest.approx(30_000.0)
    assert floor_ns(replace(both, flops=3e9), DEVICE) == pytest.approx(40_000.0)
    assert floor_ns(Work(flops=2e9), DEVICE) == pytest.approx(20_000.0)
    other = Work(flops=2e9, flops_by_type={"fp8": 2e9})
    assert floor_ns(other, DEVICE) == pytest.approx(20_000.0)


def test_ceilings_are_the_faster_unit_of_each_type() -> None:
    roofs = {"l2": 2.0, "hbm": 1.0, "vector.fp32": 3.0, "matrix.fp32": 4.0, "vector.fp64": 5.0}
    assert ceilings_of(roofs) == Ceilings(2.0, {"fp32": 4.0, "fp64": 5.0})
    assert ceilings_of({}) == Ceilings()


def test_a_plausible_claim_passes_with_and_without_counters() -> None:
    assert check_plausibility(CLAIM, DEVICE) is None
    assert check_plausibility(Claim(10.0, 9.0), Ceilings()) is None
    assert check_plausibility(Claim(10.0, 9.0), DEVICE) is None


FLOPS = replace(WORK, flops=1e9)
SUSPECT = {
    "below-floor": (replace(CLAIM, baseline_ns=5000.0, candidate_ns=970.0), Outcome.REFUSED),
    "too-fast": (replace(CLAIM, baseline_ns=101_000.0, candidate_ns=10_000.0), Outcome.HELD),
    "above-ceiling": (replace(CLAIM, highest_speedup=1.5), Outcome.HELD),
    "less-work": (replace(CLAIM, candidate=replace(WORK, flops=4e5)), Outcome.HELD),
    "no-time": (replace(CLAIM, candidate_ns=0.0), Outcome.REFUSED),
}


@pytest.mark.parametrize("reason", SUSPECT)
def test_each_suspicion_has_its_name(reason: str) -> None:
    claim, outcome = SUSPECT[reason]
    refusal = check_plausibility(claim, DEVICE)
    assert refusal is not None
    assert (refusal.stage.value, refusal.reason, refusal.outcome) == ("G6", reason, outcome)


def test_a_baseline_without_time_is_refused_too() -> None:
    refusal = check_plausibility(replace(CLAIM, baseline_ns=0.0), DEVICE)
    assert refusal is not None
    assert refusal.reason == "no-time"


def test_operations_have_a_floor_too() -> None:
    """1e9 operations take 10 us at the peak of fp32; 8 us cannot be."""
    claim = Claim(40_000.0, 8_000.0, FLOPS, baseline=FLOPS, candidate=FLOPS)
    refusal = check_plausibility(claim, DEVICE)
    assert refusal is not None
    assert refusal.reason == "below-floor"
    assert "10000 ns at the ceilings" in refusal.message
    assert check_plausibility(replace(claim, candidate_ns=9_900.0), DEVICE) is None


def test_the_floor_is_that_of_the_captured_launch() -> None:
    """A median of launches of other sizes says nothing about it."""
    claim = replace(CLAIM, baseline_ns=5000.0, candidate_ns=970.0, captured_ns=1100.0)
    assert check_plausibility(claim, DEVICE) is None
    refusal = check_plausibility(replace(CLAIM, captured_ns=900.0), DEVICE)
    assert refusal is not None
    assert refusal.reason == "below-floor"


def test_who_executes_fewer_operations_has_a_lower_floor_and_is_looked_at() -> None:
    fewer = Claim(40_000.0, 8_000.0, FLOPS, baseline=FLOPS, candidate=replace(FLOPS, flops=4e8))
    refusal = check_plausibility(fewer, DEVICE)
    assert refusal is not None
    assert (refusal.reason, refusal.outcome) == ("less-work", Outcome.HELD)
    assert refusal.message == ("400000000 floating-point operations counted, 1000000000 expected")
    assert check_plausibility(replace(fewer, by_rules=True), DEVICE) is None
    too_fast = replace(fewer, candidate_ns=3_000.0, by_rules=True)
    still = check_plausibility(too_fast, DEVICE)
    assert still is not None
    assert still.reason == "below-floor"  # its own operations take 4 us


def test_the_limits_are_where_they_are_said_to_be() -> None:
    at_ten = replace(CLAIM, baseline_ns=100_000.0, candidate_ns=10_000.0)
    assert check_plausibility(at_ten, DEVICE) is None
    at_floor = replace(CLAIM, baseline_ns=5000.0, candidate_ns=981.0)
    assert check_plausibility(at_floor, DEVICE) is None
    assert check_plausibility(replace(CLAIM, candidate=replace(WORK, flops=5e5)), DEVICE) is None


def test_bytes_that_are_written_again_may_go_those_of_the_result_may_not() -> None:
    once = replace(CLAIM, candidate=replace(WORK, written=2e6))
    assert check_plausibility(once, DEVICE) is None
    refusal = check_plausibility(replace(CLAIM, candidate=replace(WORK, written=9e5)), DEVICE)
    assert refusal is not None
    assert refusal.message == "900000 bytes written counted, 2000000 expected"
    fewer = check_plausibility(replace(CLAIM, candidate=replace(WORK, bytes=2e6)), DEVICE)
    assert fewer is not None
    assert fewer.message == "2000000 distinct bytes counted, 5000000 expected"


amounts = st.none() | st.floats(1.0, 1e12)
works = st.builds(Work, amounts, amounts, written=amounts)


@given(works, works, st.floats(1.0, 1e9))
def test_nothing_is_concluded_from_what_is_not_known(
    compulsory: Work, counted: Work, nanoseconds: float
) -> None:
    """Without ceilings there is no floor; without counts of both versions no less work."""
    claim = Claim(nanoseconds, nanoseconds, compulsory, baseline=counted)
    assert check_plausibility(claim, Ceilings()) is None
    assert check_plausibility(Claim(nanoseconds, nanoseconds, baseline=counted), DEVICE) is None


@given(works, st.floats(1.0, 1e9))
def test_the_same_work_in_a_time_above_the_floor_passes(work: Work, factor: float) -> None:
    least = floor_ns(work, DEVICE) or 1.0
    claim = Claim(least * factor, least * factor, work, baseline=work, candidate=work)
    assert check_plausibility(claim, DEVICE) is None
