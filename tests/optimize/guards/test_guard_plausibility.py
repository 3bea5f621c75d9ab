"""G6: times that cannot be, and gains that a person has to look at."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rocm_perf_lab.optimize.guards.plausibility import (
    Ceilings,
    Claim,
    Work,
    check_plausibility,
    floor_ns,
)
from rocm_perf_lab.optimize.refusal import Outcome

DEVICE = Ceilings(bytes_per_second=5e12, flops_per_second=1e14)
CLAIM = Claim(10_000.0, 5_000.0, Work(5e6, 1e6), baseline=Work(2e7, 1e6), candidate=Work(1e7, 1e6))


def test_the_floor_is_the_slower_of_both() -> None:
    assert floor_ns(Work(5e6, 1e6), DEVICE) == pytest.approx(1000.0)
    assert floor_ns(Work(5e6, 5e9), DEVICE) == pytest.approx(50_000.0)
    assert floor_ns(Work(5e6), Ceilings(flops_per_second=1e14)) is None
    assert floor_ns(Work(), DEVICE) is None


def test_a_plausible_claim_passes_with_and_without_counters() -> None:
    assert check_plausibility(CLAIM, DEVICE) is None
    assert check_plausibility(Claim(10.0, 9.0), Ceilings()) is None


SUSPECT = {
    "below-floor": (replace(CLAIM, baseline_ns=5000.0, candidate_ns=970.0), Outcome.REFUSED),
    "too-fast": (replace(CLAIM, baseline_ns=101_000.0, candidate_ns=10_000.0), Outcome.HELD),
    "above-ceiling": (replace(CLAIM, highest_speedup=1.5), Outcome.HELD),
    "less-work": (replace(CLAIM, candidate=Work(2e6, 1e6)), Outcome.HELD),
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


def test_the_limits_are_where_they_are_said_to_be() -> None:
    at_ten = replace(CLAIM, baseline_ns=100_000.0, candidate_ns=10_000.0)
    assert check_plausibility(at_ten, DEVICE) is None
    at_floor = replace(CLAIM, baseline_ns=5000.0, candidate_ns=981.0)
    assert check_plausibility(at_floor, DEVICE) is None
    fewer_flops = replace(CLAIM, candidate=Work(1e7, 4e5))
    refusal = check_plausibility(fewer_flops, DEVICE)
    assert refusal is not None
    assert refusal.message == "400000 operations counted, 1000000 expected"
