"""What must hold of every verdict, whatever the samples are like."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from benchmarks.noise_models import samples_of
from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_perf_lab.prove.judge import JudgeRule, Verdict, judge
from rocm_perf_lab.prove.judge.seen import seen_in

Array = npt.NDArray[np.float64]
LENIENT = JudgeRule(alpha=0.04, min_gain=0.01)  # accepts much, and often falsely
NEAR = 3e-5  # effects are known to about a thousandth of a percent


@st.composite
def samples(draw: st.DrawFn) -> Array:
    """Equal noise of all processes, heavy tails among it, and a candidate that differs by launch,
    by process, or both."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    blocks, launches = draw(st.integers(5, 13)), draw(st.integers(1, 7))
    shape = (blocks, 3, launches)
    logs = random.normal(0, draw(st.sampled_from([0.0, 0.002, 0.02])), shape)
    tail = draw(st.sampled_from([0.0, 0.02, 0.3]))
    logs += tail * np.abs(random.standard_t(1.2, (blocks, 3, 1))).clip(0, 20)
    logs[:, :, 0] += draw(st.floats(0, 3))
    logs[:, 2] -= draw(st.floats(-0.2, 1.5))
    logs[:, 2, 0] += draw(st.sampled_from([0.0, -1.0, 0.5, 1.0]))
    logs[:: draw(st.integers(2, 9)), 2] += draw(st.sampled_from([0.0, 0.0, 0.3, 1.0]))
    return np.asarray(1e5 * np.exp(logs))


def ratio_of_sums(times: Array) -> float:
    return float(times[:, :2].sum() / 2 / times[:, 2].sum())


def judged(times: Array) -> Verdict:
    return judge(samples_of(times), rule=LENIENT)


def same(one: Verdict, other: Verdict) -> None:
    assert (one.p, one.p_slower, one.outliers) == (other.p, other.p_slower, other.outliers)
    for name in ("effect", "low", "high", "totals", "typical"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=NEAR), name


@settings(max_examples=60, deadline=None)
@given(samples())
def test_no_claim_is_above_the_ratio_of_totals(times: Array) -> None:
    verdict, ratio = judged(times), ratio_of_sums(times)
    assert verdict.claim is None or verdict.claim <= ratio
    assert (verdict.claim is not None) == (verdict.verdict == "ACCEPT")
    assert verdict.effect <= max(1.0, ratio) + 1e-6
    assert verdict.totals == pytest.approx(ratio, abs=1e-6, rel=1e-6)
    if verdict.verdict == "ACCEPT":
        assert verdict.p <= LENIENT.alpha
        assert ratio > 1
    if verdict.verdict == "REJECT":
        assert ratio < 1


@settings(max_examples=20, deadline=None)
@given(samples(), st.floats(1e-3, 1e3))
def test_the_unit_changes_nothing(times: Array, factor: float) -> None:
    one, other = judged(times), judged(times * factor)
    same(one, other)
    assert one.verdict == other.verdict


@settings(max_examples=20, deadline=None)
@given(samples(), st.randoms(use_true_random=False))
def test_the_order_of_launches_changes_nothing_but_which_is_first(times: Array, random) -> None:  # type: ignore[no-untyped-def]
    order = list(range(times.shape[2]))
    random.shuffle(order)
    same(judged(times), judged(times[:, :, order]))
    rest = [0, *reversed(range(1, times.shape[2]))]
    assert judged(times).verdict == judged(times[:, :, rest]).verdict


@settings(max_examples=20, deadline=None)
@given(samples())
def test_which_baseline_is_called_a_changes_nothing(times: Array) -> None:
    one, other = judged(times), judged(times[:, [1, 0, 2]])
    same(one, other)
    assert one.verdict == other.verdict


@settings(max_examples=20, deadline=None)
@given(samples())
def test_the_same_launches_twice_are_the_same_ratio(times: Array) -> None:
    same(judged(times), judged(np.concatenate([times, times], axis=2)))


def test_the_interval_of_totals_misses_no_more_often_than_it_says() -> None:
    """The nearer ends of two intervals. Launches that share the noise of their process, and some
    that are slow by themselves."""
    random, miss, draws, missed = np.random.default_rng(11), 0.2, 80, 0
    for _ in range(draws):
        logs = random.normal(0, 0.02, (12, 3, 1)) + random.normal(0, 0.005, (12, 3, 6))
        logs[:, :, 0] += np.abs(random.normal(0, 0.05, (12, 3)))
        logs[:, 2] -= 0.1
        whole = seen_in(samples_of(np.exp(logs)), miss).whole
        missed += not whole.low <= 0.1 <= whole.high
    assert missed <= draws * miss + 3 * (draws * miss * (1 - miss)) ** 0.5
    assert missed > 0  # it says something


def test_as_few_blocks_as_bound_a_typical_launch_bound_the_total_as_well() -> None:
    """What two ways to bound the total share must not leave each with less than blocks can show."""
    times = np.tile([[4.0, 8.0], [4.0, 8.0], [2.0, 6.0]], (6, 1, 1)).reshape(6, 3, 2)
    seen = seen_in(samples_of(times), 0.005)
    assert seen.typical.shift.low > 0.6
    assert abs(seen.whole.low - np.log(12 / 8)) < 1e-4 > abs(seen.whole.high - np.log(12 / 8))
