"""Plans, trials and their bounds; and the limits that the judge must keep in simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.noise_models import SPREAD, simulated

from rocm_perf_lab.errors import SamplesError
from rocm_perf_lab.prove.judge import (
    DEFAULT_PLAN,
    Block,
    JudgePlan,
    JudgeRule,
    Look,
    Samples,
    follow,
    judge,
)
from rocm_perf_lab.prove.judge.permutation import scores, tails
from rocm_perf_lab.prove.judge.process_value import low_values
from rocm_perf_lab.prove.judge.self_test import self_test
from rocm_perf_lab.prove.judge.shift import clearly_within, shifted_tails
from rocm_perf_lab.prove.judge.trials import Rate, found


def pool_of(model: str, blocks: int = 24) -> list[tuple[tuple[float, ...], ...]]:
    samples = simulated(model, blocks, 0.0, np.random.default_rng(11), dispatches=8)
    return [block.processes() for block in samples.blocks]


def test_bounds_are_those_of_clopper_and_pearson() -> None:
    """Published values: 0 of 100, 5 of 100, 50 of 100; and the rule of three."""
    assert Rate(0, 100).high == pytest.approx(0.0362, abs=1e-4)
    assert (Rate(5, 100).low, Rate(5, 100).high) == pytest.approx((0.0164, 0.1128), abs=1e-4)
    assert (Rate(50, 100).low, Rate(50, 100).high) == pytest.approx((0.3983, 0.6017), abs=1e-4)
    assert Rate(0, 20000).high == pytest.approx(-math.log(0.025) / 20000, rel=1e-3)
    assert (Rate(0, 7).low, Rate(7, 7).high) == (0.0, 1.0)


def test_the_permutation_test_is_exact() -> None:
    """Against all 3^5 ways to name the candidates, enumerated."""
    values = np.random.default_rng(3).normal(size=(5, 3))
    of = scores(values)
    sums = np.array(
        [sum(of[k, int(c)] for k, c in enumerate(np.base_repr(n, 3).zfill(5))) for n in range(243)]
    )
    observed = of[:, 2].sum()
    exact = tails(of, 2)
    assert exact.low == pytest.approx((sums <= observed).mean())
    assert exact.high == pytest.approx((sums >= observed).mean())


def test_exactness_does_not_depend_on_the_number_of_blocks() -> None:
    """Coarser scores for many blocks: p stays a p, here against the normal approximation."""
    values = np.random.default_rng(4).normal(size=(600, 3))
    values[:, 2] -= 0.1
    of = scores(values)
    assert of.max() <= 16
    z = (of[:, 2].sum() - of.mean(axis=1).sum()) / math.sqrt(of.var(axis=1).sum())
    assert tails(of, 2).low == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), rel=0.2)


def test_a_plan_looks_when_it_said_so() -> None:
    seen = []

    def blocks() -> object:
        for number in range(1000):
            seen.append(number)
            yield Block((105.0,), (105.0,), (100.0,))

    verdict, samples = follow(DEFAULT_PLAN, blocks())  # type: ignore[arg-type]
    assert (verdict.verdict, len(samples.blocks), len(seen)) == ("ACCEPT", 12, 12)
    assert verdict == judge(samples, rule=DEFAULT_PLAN.rule_at(0))


def test_a_plan_stops_where_only_a_confirmation_is_missing() -> None:
    plan = JudgePlan(JudgeRule(confirm=True))
    supply = iter([Block((105.0,), (105.0,), (100.0,))] * 96)
    verdict, samples = follow(plan, supply)
    assert (verdict.verdict, len(samples.blocks)) == ("INCONCLUSIVE", 12)
    assert verdict.wants_confirmation


def test_a_plan_goes_on_while_nothing_is_shown() -> None:
    samples = simulated("noisy", 96, 0.0, np.random.default_rng(5), dispatches=4)
    verdict, used = follow(DEFAULT_PLAN, iter(samples.blocks))
    assert (verdict.verdict, len(used.blocks)) == ("INCONCLUSIVE", 96)


def test_a_verdict_before_the_declared_look_is_refused() -> None:
    with pytest.raises(SamplesError, match="11 blocks were measured, but the look is at 12"):
        follow(DEFAULT_PLAN, iter([Block((2.0,), (2.0,), (1.0,))] * 11))


def test_a_block_more_than_needed_is_not_taken() -> None:
    supply = iter([Block((2.0,), (2.0,), (1.0,))] * 30)
    follow(JudgePlan.once(10), supply)
    assert len(list(supply)) == 20


@pytest.mark.parametrize("model", sorted(SPREAD))
def test_nothing_is_accepted_that_is_nothing(model: str) -> None:
    assert found(pool_of(model), JudgePlan.once(24), 0.0, trials=60, seed=2).count == 0


def test_typical_gains_are_found() -> None:
    """The promise is 9 of 10 at 3 %, with the plan of every command."""
    assert found(pool_of("typical"), DEFAULT_PLAN, 0.03, trials=40, seed=3).share >= 0.9


@pytest.mark.parametrize("model", ["typical", "whole"])
def test_the_interval_covers_what_it_says(model: str) -> None:
    """At 80 % a quick run tells 80 from 65: benchmarks/judge.py has 99 % over 10,000 trials."""
    rule = JudgeRule(interval_miss=0.2)
    random = np.random.default_rng(6)
    covered = 0
    for _ in range(60):
        verdict = judge(simulated(model, 10, 0.02, random, dispatches=5), rule=rule)
        covered += verdict.low <= math.exp(0.02) <= verdict.high
    assert 0.65 <= covered / 60 <= 0.95


def test_a_wrong_test_would_be_noticed() -> None:
    """The p of no-ops is uniform: not below 0.1 more often than in one of ten."""
    random = np.random.default_rng(7)
    ps = []
    for _ in range(400):
        values = low_values(simulated("heavy", 10, 0.0, random, dispatches=3))
        ps.append(tails(scores(values), 2).low)
    assert 0.05 <= float(np.mean(np.array(ps) <= 0.1)) <= 0.14


def test_self_test_document() -> None:
    blocks = [tuple(p) for p in pool_of("quiet", 12)]
    document = self_test(
        blocks,  # type: ignore[arg-type]
        kernel="k",
        device="d",
        virtual=True,
        trials=30,
        gain_trials=10,
        plan=JudgePlan(looks=(Look(12, 1.0),)),
    )
    assert document.false_accepts.count == 0
    assert document.false_accepts.high == pytest.approx(0.1157, abs=1e-3)
    assert document.smallest_gain is not None
    assert document.smallest_gain <= 0.03
    assert document.looks == (12,)
    assert 0.001 < document.process_noise < 0.01


def test_trials_say_which_unit_does_not_matter() -> None:
    samples = simulated("quiet", 10, 0.0, np.random.default_rng(1), dispatches=2)
    assert judge(samples).p == judge(Samples("us", samples.blocks)).p


@pytest.mark.parametrize("model", sorted(SPREAD))
def test_what_trials_do_not_look_at_closely_is_never_improbable(model: str) -> None:
    """Scores within 2 standard deviations, and an exact probability far above any level."""
    source = np.random.default_rng(4)
    seen = []
    for blocks in (10, 24) * 40:
        values = low_values(simulated(model, blocks, 0.0, source))
        if clearly_within(values, 2, 2.0):
            seen.append(min(shifted_tails(values, 2)))
    assert len(seen) > 20
    assert min(seen) > 0.01
