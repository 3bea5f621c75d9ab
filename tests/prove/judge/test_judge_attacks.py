"""Candidates that look faster and are not: by totals, by tails, by their first launch."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from benchmarks.noise_models import samples_of

from rocm_perf_lab.errors import SamplesError
from rocm_perf_lab.prove.judge import (
    DEFAULT_PLAN,
    Block,
    JudgeRule,
    Samples,
    Verdict,
    follow,
    judge,
)

Array = npt.NDArray[np.float64]
B = 2
CONFIRMING = JudgeRule(confirm=True)  # what an optimizer judges by


def quiet(seed: int, blocks: int = 12, launches: int = 10, noise: float = 0.01) -> Array:
    """Times of equal programs: processes that differ by 1 %."""
    random = np.random.default_rng(seed)
    logs = random.normal(0, noise, (blocks, 3, 1)) + random.normal(0, 0.002, (blocks, 3, launches))
    return np.asarray(1e5 * np.exp(logs))


def sums_ratio(times: Array) -> float:
    totals = times.sum(axis=2)
    return float(totals[:, :B].mean() / totals[:, B].mean())


def with_tail(seed: int, every: int, factor: float, blocks: int = 12, gain: float = 0.05) -> Array:
    """The candidate is faster, and each `every`-th of its processes is slower by a factor."""
    times = quiet(seed, blocks)
    times[:, B] /= 1 + gain
    times[seed % every :: every, B] *= factor
    return times


@pytest.mark.parametrize("factor", [1.7, 2.0, 4.0, 20.0])
@pytest.mark.parametrize("every", [5, 8, 12])
def test_a_tail_that_eats_the_gain_is_not_accepted(every: int, factor: float) -> None:
    for seed in range(3):
        times, fresh = with_tail(seed, every, factor), with_tail(seed + 50, every, factor)
        first = judge(samples_of(times), rule=CONFIRMING)
        assert first.typical > 1.03, "else this shows nothing"
        if sums_ratio(times) <= 1:
            assert (first.verdict, first.wants_confirmation) == ("INCONCLUSIVE", False)
        both = judge(samples_of(times), rule=CONFIRMING, confirmation=samples_of(fresh))
        assert both.claim is None or both.claim <= sums_ratio(fresh)


def test_what_the_slow_processes_are_is_said() -> None:
    verdict = judge(samples_of(with_tail(1, 5, 2.0)), rule=CONFIRMING)
    assert verdict.reason.startswith("a typical launch is faster (1.0")
    assert "but in the mean of its processes it is not: 0.8" in verdict.reason
    assert "3 of the candidate's 12 processes are far slower than the others" in verdict.reason
    assert "0 of the baseline's 24" in verdict.reason
    assert "whether the device or the candidate does it" in (verdict.needed or "")


@pytest.mark.parametrize("every", [5, 8, 12])
def test_more_blocks_do_not_help_a_tail(every: int) -> None:
    """At none of the looks that the plan declares."""
    times = with_tail(1, every, 2.5, blocks=96)
    verdict, _ = follow(DEFAULT_PLAN, iter(samples_of(times).blocks))
    assert sums_ratio(times) < 1
    assert verdict.verdict != "ACCEPT"


def test_two_kinds_of_processes_where_the_baseline_has_one_are_not_accepted() -> None:
    """Faster in the mean, and every fifth process is a quarter slower: 30 times the noise."""
    for seed in range(3):
        times = with_tail(seed, 5, 1.3, gain=0.15)
        assert sums_ratio(times) > 1.05
        verdict = judge(samples_of(times), rule=CONFIRMING)
        assert verdict.verdict == "INCONCLUSIVE"
        assert "is it two kinds of run?" in verdict.reason


def test_a_tail_that_the_baseline_has_too_is_the_devices() -> None:
    accepted = 0
    for seed in range(4):
        times = quiet(seed, blocks=24)
        times[:, B] /= 1.05
        hit = np.random.default_rng(seed).random((24, 3)) < 0.12
        times[hit] *= 1.3
        accepted += judge(samples_of(times)).verdict == "ACCEPT"
    assert accepted >= 3


def test_one_slow_process_bounds_the_claim() -> None:
    times = quiet(3, blocks=24)
    times[:, B] /= 2
    times[4, B] *= 6
    verdict = judge(samples_of(times))
    assert verdict.verdict == "ACCEPT"
    assert verdict.claim is not None
    assert verdict.claim <= sums_ratio(times) < 1.8
    assert verdict.effect == pytest.approx(sums_ratio(times), rel=1e-5)
    assert verdict.typical == pytest.approx(2, rel=0.02)


def cold(seed: int, first: float, blocks: int = 12, launches: int = 5) -> Array:
    """The first launch of every process takes `first` times as long as the others."""
    times = quiet(seed, blocks, launches, noise=0.003)
    times[:, :, 0] *= first
    return times


@pytest.mark.parametrize(("first", "gain"), [(8.0, 5.0), (10.0, 3.75), (4.0, 2.0), (30.0, 6.0)])
@pytest.mark.parametrize("blocks", [6, 12])
def test_the_claim_is_the_ratio_of_totals_where_first_launches_gain_nothing(
    first: float, gain: float, blocks: int
) -> None:
    """Warm launches are `gain` times faster, the cold one is as slow as before."""
    times = cold(1, first, blocks)
    times[:, B, 1:] /= gain
    verdict = judge(samples_of(times), rule=JudgeRule(alpha=0.01, min_gain=0.01))
    assert verdict.verdict == "ACCEPT"
    assert verdict.claim is not None
    assert verdict.claim <= sums_ratio(times)
    assert verdict.totals == pytest.approx(sums_ratio(times), abs=1e-6)
    assert verdict.effect == pytest.approx(sums_ratio(times), rel=0.01)
    assert verdict.typical > 1.2 * verdict.effect
    assert verdict.value == "whole"


@pytest.mark.parametrize("first", [3.0, 10.0, 50.0])
@pytest.mark.parametrize("gain", [1.05, 1.5, 3.0])
def test_a_gain_of_the_cold_launch_alone_is_none(first: float, gain: float) -> None:
    times = cold(2, first)
    times[:, B, 0] /= gain
    verdict = judge(samples_of(times))
    assert verdict.verdict == "NO_CHANGE"
    if sums_ratio(times) > 1.02:
        assert verdict.reason.startswith("the gain is that of the first launch only: ")
        assert verdict.later == pytest.approx(1, abs=0.005)


def test_a_cold_launch_that_eats_the_gain_decides() -> None:
    """Warm launches gain 10 %, the first one loses more than that."""
    times = cold(4, 10.0)
    times[:, B, 1:] /= 1.1
    times[:, B, 0] *= 1.2
    verdict = judge(samples_of(times))
    assert verdict.verdict == "REJECT"
    assert "a typical launch is faster" in verdict.reason
    times[:, B, 0] /= 1.2
    times[:, B, 0] *= 1 + 0.04 * 0.91
    verdict = judge(samples_of(times))
    assert verdict.verdict in ("NO_CHANGE", "INCONCLUSIVE")


def test_some_launches_that_gain_and_others_that_lose_are_judged_by_their_sum() -> None:
    times = quiet(5, launches=12, noise=0.002)
    times[:, B, ::3] /= 1.3
    times[:, B, 1::3] *= 1.12
    times[:, B, 2::3] *= 1.12
    verdict = judge(samples_of(times))
    assert verdict.verdict != "ACCEPT"


def block(a: int, a2: int, b: int) -> Block:
    return Block((1.0,) * a, (1.0,) * a2, (1.0,) * b)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ((block(5, 5, 4),), "block 0: B holds 4 times, A of block 0 holds 5: baseline and cand"),
        ((block(5, 5, 5), block(5, 5, 10)), "block 1: B holds 10 times"),
        ((block(5, 4, 5),), "block 0: A2 holds 4 times, .* processes of the baseline itself"),
        ((block(5, 5, 5), block(6, 6, 6)), "block 1: A holds 6 times"),
    ],
)
def test_other_numbers_of_launches_are_refused(blocks: tuple[Block, ...], message: str) -> None:
    with pytest.raises(SamplesError, match=message) as refused:
        judge(Samples("ns", blocks))
    assert "the sum of its launches" in (refused.value.next_step or "")


def test_fresh_blocks_have_as_many_launches() -> None:
    first, fresh = quiet(1), quiet(2, launches=9)
    for times in (first, fresh):
        times[:, B] /= 1.2
    with pytest.raises(SamplesError, match="the confirmation holds 9 launches, the samples 10"):
        judge(samples_of(first), confirmation=samples_of(fresh))


def test_fresh_blocks_object_as_the_first_ones_do() -> None:
    first, tail, first_launch = quiet(1), with_tail(2, 5, 2.0), cold(3, 10.0, launches=10)
    first[:, B] /= 1.05
    first_launch[:, B, 0] /= 1.5
    for fresh in (tail, first_launch):
        verdict = judge(samples_of(first), confirmation=samples_of(fresh))
        assert (verdict.verdict, verdict.confirmed) == ("INCONCLUSIVE", False)


def test_both_ends_are_told_of_the_whole() -> None:
    verdict: Verdict = judge(samples_of(with_tail(1, 99, 1.0)))
    assert verdict.verdict == "ACCEPT"
    assert verdict.low <= verdict.effect <= verdict.high
    assert math.isclose(verdict.totals, 1.05, rel_tol=0.02)
