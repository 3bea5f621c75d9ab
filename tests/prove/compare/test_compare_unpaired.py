"""The exact rank test of runs that were recorded one version after the other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rocm_perf_lab.prove.compare.unpaired import interval_rank, judge_runs, needed_runs, rank_tails

SEVEN = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 99.8]


def enumerated(base: list[float], head: list[float]) -> tuple[float, float]:
    """The definition: all ways to call so many of the runs HEAD."""
    together = np.array([*base, *head])
    ranks = [((together < value).sum() + 1 + (together <= value).sum()) / 2 for value in together]
    sums = [sum(ranks[i] for i in chosen) for chosen in combinations(range(len(ranks)), len(head))]
    observed = sum(ranks[len(base) :])
    low = sum(found <= observed + 1e-9 for found in sums) / len(sums)
    return low, sum(found >= observed - 1e-9 for found in sums) / len(sums)


@pytest.mark.parametrize("ties", [False, True])
def test_probabilities_are_those_of_all_choices(ties: bool) -> None:
    random = np.random.default_rng(4)
    for _ in range(20):
        values = random.normal(0, 1, 9)
        values = values.round(0) if ties else values
        base, head = values[:4], values[4:]
        assert rank_tails(base, head) == pytest.approx(enumerated(list(base), list(head)))


def test_the_interval_has_the_coverage_that_it_claims() -> None:
    """How often the ordered differences of equal distributions miss 0, on each side."""
    random = np.random.default_rng(5)
    reach = interval_rank(7, 7, 0.05)
    draws = random.normal(0, 1, (4000, 14))
    differences = np.sort((draws[:, 7:, None] - draws[:, None, :7]).reshape(4000, -1), axis=1)
    assert (differences[:, reach] > 0).mean() == pytest.approx(0.05, abs=0.015)
    assert (differences[:, -1 - reach] < 0).mean() == pytest.approx(0.05, abs=0.015)


def test_runs_that_all_differ_are_a_change() -> None:
    slower = [value * 1.1 for value in SEVEN]
    found = judge_runs(SEVEN, slower, 2, 0.02)
    assert found.word == "regression"
    assert found.change == pytest.approx(0.1, abs=0.005)
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < 0.1 < found.high
    assert judge_runs(slower, SEVEN, 2, 0.02).word == "improvement"


def test_equal_runs_are_no_change_and_wide_ones_undecided() -> None:
    assert judge_runs(SEVEN, SEVEN[::-1], 1, 0.02).word == "no change"
    assert judge_runs([5.0] * 7, [5.0] * 7, 1, 0.02).word == "no change"
    wide = [60.0, 140.0, 80.0, 120.0, 100.0, 90.0, 110.0]
    found = judge_runs(wide, wide[::-1], 1, 0.02)
    assert found.word == "inconclusive"
    assert found.needed is not None


def test_a_proven_change_below_the_threshold_is_none() -> None:
    slower = [value * 1.05 for value in SEVEN]
    assert judge_runs(SEVEN, slower, 1, 0.1).word == "no change"


@pytest.mark.parametrize("runs", [1, 2, 3, 4])
def test_few_runs_cannot_be_judged(runs: int) -> None:
    found = judge_runs(SEVEN[:runs], [value * 3 for value in SEVEN[:runs]], 1, 0.02)
    assert found.word == "not judged"
    assert found.reason == f"{runs} and {runs} runs: even a clear difference could be chance"
    assert found.needed is not None
    assert "at least 5 runs of each" in found.needed


def test_more_kernels_need_more_runs() -> None:
    assert "at least 5 runs" in needed_runs(0.005)
    assert "at least 7 runs" in needed_runs(0.005 / 10)
    assert judge_runs(SEVEN[:5], [v * 2 for v in SEVEN[:5]], 1, 0.02).word == "regression"
    assert judge_runs(SEVEN[:5], [v * 2 for v in SEVEN[:5]], 2, 0.02).word == "not judged"
