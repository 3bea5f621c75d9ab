"""Which of two kernels is faster, from times that were taken in turns in one process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

LEAST_ROUNDS = 5
FLOOR = 0.01  # a smaller difference is no difference
CONFIDENCE = 0.99
_RESAMPLES = 4000
_SEED = 20240801  # the same samples, the same judgement


@dataclass(frozen=True)
class Judgement:
    verdict: Literal[
        "faster", "slower", "no_change", "inconclusive"
    ]  # the second against the first
    speedup: float  # time of the first / time of the second
    low: float  # of the 99 % interval
    high: float
    rounds: int
    reason: str


def judge(first_ns: Sequence[float], second_ns: Sequence[float]) -> Judgement:
    """Rounds are pairs: both ran one behind the other, so that disturbances hit both."""
    logs = np.log(np.asarray(first_ns, dtype=np.float64)) - np.log(
        np.asarray(second_ns, dtype=np.float64)
    )
    rounds = int(logs.size)
    generator = np.random.default_rng(_SEED)
    picks = generator.integers(0, rounds, size=(_RESAMPLES, rounds))
    means = logs[picks].mean(axis=1)
    tail = (1 - CONFIDENCE) / 2
    low, effect, high = (
        float(value)
        for value in np.exp(
            [*np.quantile(means, [tail]), logs.mean(), *np.quantile(means, [1 - tail])]
        )
    )
    if rounds < LEAST_ROUNDS:
        return Judgement(
            "inconclusive", effect, low, high, rounds, f"fewer than {LEAST_ROUNDS} rounds"
        )
    if low > 1 + FLOOR:
        return Judgement("faster", effect, low, high, rounds, f"at least {low:.3f}x with 99 %")
    if high < 1 - FLOOR:
        return Judgement("slower", effect, low, high, rounds, f"at most {high:.3f}x with 99 %")
    if low > 1 - FLOOR and high < 1 + FLOOR:
        return Judgement("no_change", effect, low, high, rounds, "less than 1 % apart")
    return Judgement(
        "inconclusive", effect, low, high, rounds, "the interval holds both answers: more rounds"
    )
