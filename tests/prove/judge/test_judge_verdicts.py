"""Verdicts of the judge on samples whose truth is known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.noise_models import samples_of, simulated

from rocm_perf_lab.errors import SamplesError, UsageError
from rocm_perf_lab.prove.judge import (
    Block,
    JudgePlan,
    JudgeRule,
    Look,
    Samples,
    could_accept,
    judge,
)
from rocm_perf_lab.prove.judge.permutation import CAP


def typical(gain: float, blocks: int = 16, seed: int = 1) -> Samples:
    return simulated("typical", blocks, gain, np.random.default_rng(seed))


def exact(times: tuple[float, float, float], blocks: int = 10) -> Samples:
    """A device without any noise."""
    return Samples("ns", tuple(Block(*((time,) * 3 for time in times)) for _ in range(blocks)))


def test_a_true_gain_is_accepted_with_the_low_end_as_claim() -> None:
    verdict = judge(typical(0.05))
    assert verdict.verdict == "ACCEPT"
    assert verdict.low < math.exp(0.05) < verdict.high
    assert verdict.claim == verdict.low > 1.02
    assert verdict.needed is None
    assert could_accept(typical(0.05))


def test_a_slower_candidate_is_rejected() -> None:
    verdict = judge(typical(-0.05))
    assert verdict.verdict == "REJECT"
    assert verdict.claim is None
    assert verdict.high < 1
    assert verdict.reason.startswith("slower: at most 0.9")


def test_the_same_program_is_no_change_when_the_noise_allows_to_say_so() -> None:
    verdict = judge(simulated("quiet", 24, 0.0, np.random.default_rng(2)))
    assert verdict.verdict == "NO_CHANGE"
    assert verdict.reason == "less than 1.0% apart"


def test_undecided_says_how_many_more_blocks() -> None:
    verdict = judge(simulated("noisy", 12, 0.02, np.random.default_rng(3)))
    assert verdict.verdict == "INCONCLUSIVE"
    assert verdict.more_blocks is not None
    assert verdict.needed == f"about {verdict.more_blocks} more blocks, or a quieter device"


def test_without_noise_ten_blocks_decide_exactly() -> None:
    faster, slower, same = exact((105, 105, 100)), exact((100, 100, 105)), exact((100, 100, 100))
    assert judge(faster).verdict == "ACCEPT"
    assert judge(faster).claim == pytest.approx(1.05, abs=3e-5)
    assert judge(faster).p == pytest.approx(3.0**-10)
    assert judge(slower).verdict == "REJECT"
    assert judge(same).verdict == "NO_CHANGE"
    assert judge(exact((100.5, 100.5, 100))).verdict == "NO_CHANGE"


@pytest.mark.parametrize("blocks", [1, 2, 5, 9])
def test_too_few_blocks_never_accept(blocks: int) -> None:
    verdict = judge(exact((200, 200, 100), blocks))
    assert verdict.verdict == "INCONCLUSIVE"
    assert verdict.needed == "at least 10 blocks"
    assert verdict.more_blocks == 10 - blocks


def test_more_candidates_need_more_blocks() -> None:
    rule = JudgeRule()
    assert [rule.least_blocks(tried) for tried in (1, 20, 1000)] == [10, 13, 17]
    assert judge(exact((105, 105, 100), 12), candidates=20).needed == "at least 13 blocks"
    assert judge(exact((105, 105, 100), 13), candidates=20).verdict == "ACCEPT"
    assert judge(exact((105, 105, 100), 60), candidates=10**20).verdict == "ACCEPT"
    alone, chosen = judge(typical(0.03)), judge(typical(0.03), candidates=50)
    assert chosen.low < alone.low


def test_the_noise_of_the_baseline_is_a_floor() -> None:
    """A and A2 are 6 % apart in every block: so is what a candidate's 5 % are worth."""
    verdict = judge(exact((106, 100, 95), 16))
    assert verdict.verdict == "INCONCLUSIVE"
    assert "not above the noise of the baseline itself" in verdict.reason
    assert verdict.floor == pytest.approx(1.06, abs=1e-4)


def test_a_smaller_gain_than_asked_for_is_none() -> None:
    assert judge(exact((103, 103, 100)), rule=JudgeRule(min_gain=0.05)).verdict == "NO_CHANGE"


def test_confirmation_decides_and_gives_the_claim() -> None:
    first, fresh, no_op = typical(0.06), typical(0.04, seed=9), typical(0.0, seed=8)
    confirmed = judge(first, confirmation=fresh)
    assert (confirmed.verdict, confirmed.confirmed) == ("ACCEPT", True)
    assert confirmed.claim == judge(fresh).low < judge(first).low
    refuted = judge(first, confirmation=no_op)
    assert (refuted.verdict, refuted.confirmed) == ("INCONCLUSIVE", False)
    assert "not confirmed on 16 fresh blocks" in refuted.reason
    needs = judge(first, rule=JudgeRule(confirm=True))
    assert needs.verdict == "INCONCLUSIVE"
    assert needs.needed == "the same on fresh blocks against the original baseline"


def test_what_will_be_confirmed_needs_less_before() -> None:
    """1/250 and then 1/200 on fresh blocks are 1/50,000 together."""
    rule = JudgeRule(confirm=True)
    assert rule.level * rule.confirmation_alpha == pytest.approx(JudgeRule().level)
    assert (rule.least_blocks(), rule.least_blocks(200), JudgeRule().least_blocks()) == (10, 10, 10)
    first, fresh = typical(0.014, blocks=24, seed=8), typical(0.014, blocks=24, seed=11)
    assert JudgeRule().level < judge(first).p < rule.level, "else this shows nothing"
    assert judge(first).verdict == judge(first, confirmation=fresh).verdict == "INCONCLUSIVE"
    assert judge(first, rule=rule).wants_confirmation
    assert not judge(typical(0.0), rule=rule).wants_confirmation
    assert judge(first, rule=rule, confirmation=fresh).verdict == "ACCEPT"
    assert judge(first, rule=rule, candidates=200).verdict == "INCONCLUSIVE"
    assert not judge(first, rule=rule, candidates=200).wants_confirmation


def disturbed(share: float, gain: float) -> Samples:
    """24 quiet blocks in which a share of the processes takes twice the time."""
    random = np.random.default_rng(4)
    logs = random.normal(0, 0.004, (24, 3, 1)) + np.zeros((24, 3, 10))
    logs[:, 2] -= gain
    hit = np.arange(72) < round(72 * share)
    random.shuffle(hit)
    return samples_of(1e5 * np.exp(logs + 0.7 * hit.reshape(24, 3, 1)))


@pytest.mark.parametrize("gain", [0.05, 0.0, -0.05])
def test_more_than_a_quarter_of_outliers_decides_nothing(gain: float) -> None:
    few, many = (judge(disturbed(share, gain)) for share in (0.2, 0.3))
    assert (few.outliers, many.outliers) == (14, 22)
    assert few.verdict == {0.05: "ACCEPT", 0.0: "NO_CHANGE", -0.05: "REJECT"}[gain]
    assert (many.verdict, many.more_blocks) == ("INCONCLUSIVE", None)
    assert many.reason.startswith("31% of the processes are outliers")
    assert JudgeRule().most_outliers == 1 - CAP, "what the ranks bear"
    assert many.needed == "a quieter device: more blocks would be as disturbed"
    refuted = judge(disturbed(0.2, 0.05), confirmation=disturbed(0.3, 0.05))
    assert (refuted.verdict, refuted.confirmed) == ("INCONCLUSIVE", False)


@pytest.mark.parametrize("factor", [0.5, 0.9, 1.1, 2.0])
def test_a_large_effect_makes_no_outliers(factor: float) -> None:
    verdict = judge(simulated("quiet", 12, -math.log(factor), np.random.default_rng(2)))
    assert verdict.outliers == 0
    assert verdict.verdict == ("ACCEPT" if factor < 1 else "REJECT")


def test_a_gain_of_the_fastest_launches_only_is_not_claimed_for_all() -> None:
    """A third of the launches is 8 % faster, the others 3 % slower: no gain."""
    random = np.random.default_rng(5)
    times = 1e5 * np.exp(random.normal(0, 0.002, (16, 3, 30)))
    times[:, 2, ::3] *= 0.92
    times[:, 2, 1::3] *= 1.03
    times[:, 2, 2::3] *= 1.03
    for block in times:  # so that launches cannot be told apart by their place
        for process in block:
            random.shuffle(process)
    verdict = judge(samples_of(times))
    assert verdict.value == "whole"
    assert verdict.verdict != "ACCEPT"


def test_launches_of_different_work_count_by_their_time() -> None:
    """Nine small launches became 20 % faster, the tenth takes nearly all of the time."""
    random = np.random.default_rng(6)
    work = np.array([1.0] * 9 + [1000.0])
    times = 1e4 * work * np.exp(random.normal(0, 0.003, (12, 3, 10)))
    times[:, 2, :9] *= 0.8
    assert judge(samples_of(times)).verdict == "NO_CHANGE"
    times[:, 2, 9] *= 0.95
    assert judge(samples_of(times)).verdict == "ACCEPT"


def test_what_must_not_matter() -> None:
    """The unit, which baseline process is called A, and more disturbance of a disturbed process."""
    samples = simulated("neighbour", 14, 0.03, np.random.default_rng(7))
    verdict = judge(samples)
    scaled = Samples(
        "us",
        tuple(Block(*(tuple(t * 1e-3 for t in p) for p in b.processes())) for b in samples.blocks),
    )
    swapped = Samples("ns", tuple(Block(b.a2, b.a, b.b) for b in samples.blocks))
    assert judge(swapped) == verdict
    again = judge(scaled)
    assert (again.verdict, again.p) == (verdict.verdict, verdict.p)
    assert again.effect == pytest.approx(verdict.effect, abs=3e-5)


def test_a_process_that_is_disturbed_even_more_changes_nothing() -> None:
    times = np.full((12, 3, 4), 1000.0)
    times[:, 2] *= 0.95
    times[:, :2] *= 1 + 1e-3 * np.arange(24).reshape(12, 2, 1) / 24
    verdicts = []
    for factor in (2.0, 20.0):
        times[5, 0] = 1000.0 * factor
        verdicts.append(judge(samples_of(times)))
    assert verdicts[0].verdict == "ACCEPT"
    assert verdicts[0].outliers >= 1
    assert verdicts[0].p == verdicts[1].p
    for name in ("effect", "low", "high", "floor"):
        assert getattr(verdicts[0], name) == pytest.approx(getattr(verdicts[1], name), abs=3e-5)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (Samples("ns", ()), "the samples hold no block"),
        (Samples("fortnights", (Block((1.0,), (1.0,), (1.0,)),)), "unknown unit 'fortnights'"),
        (Samples("ns", (Block((1.0,), (), (1.0,)),)), "block 0: A2 holds no time"),
        (
            Samples("ns", (Block((1.0,), (1.0,), (0.0,)),)),
            r"block 0: B\[0\] is 0.0; a time is above 0",
        ),
        (Samples("ns", (Block((1.0, -2.0), (1.0,), (1.0,)),)), r"block 0: A\[1\] is -2.0"),
        (Samples("ns", (Block((math.nan,), (1.0,), (1.0,)),)), r"A\[0\] is nan, not a finite time"),
        (Samples("ns", (Block((1.0,), (1.0,), (math.inf,)),)), r"B\[0\] is inf, not a finite time"),
    ],
)
def test_impossible_samples_are_refused(samples: Samples, message: str) -> None:
    with pytest.raises(SamplesError, match=message):
        judge(samples)


def test_wrong_use_is_refused() -> None:
    samples = exact((100, 100, 100))
    with pytest.raises(UsageError, match="0 candidates"):
        judge(samples, candidates=0)
    with pytest.raises(UsageError, match="samples in ns, confirmation in us"):
        judge(exact((110, 110, 100)), confirmation=replace(samples, unit="us"))
    with pytest.raises(UsageError, match=r"between 0 and 0\.5"):
        JudgeRule(alpha=0.7)
    with pytest.raises(UsageError, match="-1 is not a share of outliers"):
        JudgeRule(most_outliers=-1)


def test_looks_share_the_error_of_one_rule() -> None:
    plan = JudgePlan()
    rules = [plan.rule_at(look) for look in range(len(plan.looks))]
    assert sum(rule.alpha for rule in rules) == pytest.approx(JudgeRule().alpha)
    assert all(rule.least_blocks() <= look.blocks for rule, look in zip(rules, plan.looks))
    with pytest.raises(UsageError, match="more and more blocks"):
        JudgePlan(looks=(Look(12, 0.5), Look(12, 0.5)))
    with pytest.raises(UsageError, match="add up to at most 1"):
        JudgePlan(looks=(Look(12, 0.7), Look(24, 0.7)))
