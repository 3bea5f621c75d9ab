"""Which of two kernels is faster, from times that were taken in turns in one process."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rocm_perf_lab.analysis.student_t import t_quantile

LEAST_ROUNDS = 5
FLOOR = 0.01  # a smaller difference is no difference
CONFIDENCE = 0.99


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
    mean = float(logs.mean())
    width = 0.0
    if rounds > 1:  # Student's t: a resampled interval misses one in ten at five rounds
        error = float(logs.std(ddof=1)) / math.sqrt(rounds)
        width = t_quantile(CONFIDENCE, rounds - 1) * error
    low, effect, high = (math.exp(value) for value in (mean - width, mean, mean + width))
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
