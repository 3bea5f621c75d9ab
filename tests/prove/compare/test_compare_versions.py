"""Versions of a captured kernel: the judge decides on their rounds, as on all other times."""

from __future__ import annotations

import numpy as np
import pytest

from rocm_perf_lab.prove.compare.versions import judged_times
from rocm_perf_lab.prove.judge import Block, Samples, judge


@pytest.mark.parametrize(
    ("a", "b", "rounds", "verdict"),
    [
        (100.0, 80.0, 10, "faster"),
        (80.0, 100.0, 10, "slower"),
        (100.0, 100.1, 10, "no_change"),
        (100.0, 50.0, 9, "inconclusive"),
    ],
)
def test_rounds_are_judged(a: float, b: float, rounds: int, verdict: str) -> None:
    found = judged_times([a] * rounds, [a] * rounds, [b] * rounds)
    assert (found.verdict, found.rounds) == (verdict, rounds)
    assert "block" not in f"{found.reason} {found.needed}"
    if verdict == "inconclusive":
        assert found.needed == "at least 10 rounds"


def test_it_is_the_one_judge() -> None:
    """Every number is that of the judge, and what the judge leaves open stays open."""
    times = np.exp(np.random.default_rng(1).normal(0, 0.03, (3, 24))) * 1e4
    times[2] /= 1.05
    found = judged_times(*times.tolist())
    verdict = judge(Samples("ns", tuple(Block(*((t,) for t in row)) for row in times.T.tolist())))
    assert (found.speedup, found.low, found.p) == (verdict.effect, verdict.low, verdict.p)
    noise = judged_times(*np.exp(np.random.default_rng(2).normal(0, 0.5, (3, 20))).tolist())
    assert noise.verdict == "inconclusive"
    assert noise.needed


def test_a_version_that_differs_from_itself_is_noise() -> None:
    """A is 6 % slower than the same code again: 5 % of B prove nothing."""
    found = judged_times([106.0] * 20, [100.0] * 20, [95.0] * 20)
    assert found.verdict == "inconclusive"
    assert "noise of the baseline" in found.reason
