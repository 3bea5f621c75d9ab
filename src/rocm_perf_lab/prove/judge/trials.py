"""Trials of the judge on measured noise: how often it accepts nothing, and what it finds.

The pool is blocks of processes that all ran the same program. A trial draws blocks from it, with
repetition, and names the processes of each block at random: whatever is then accepted is false. A
gain is put in by making the candidate's times shorter.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Callable

from rocm_perf_lab.prove.judge.follow import accepts
from rocm_perf_lab.prove.judge.rule import JudgePlan
from rocm_perf_lab.prove.judge.samples import Block, Times

Pool = Sequence[tuple[Times, ...]]  # per block the times of at least three equal processes


@dataclass(frozen=True)
class Rate:
    """How often something happened, with the bounds that hold with 95 % (Clopper and Pearson)."""

    count: int
    trials: int

    @property
    def share(self) -> float:
        return self.count / self.trials

    @property
    def low(self) -> float:
        if self.count == 0:
            return 0.0
        return _solve(lambda p: 1 - _at_most(self.count - 1, self.trials, p), _TAIL)

    @property
    def high(self) -> float:
        if self.count == self.trials:
            return 1.0
        return _solve(lambda p: 1 - _at_most(self.count, self.trials, p), 1 - _TAIL)


_TAIL = 0.025


def found(pool: Pool, plan: JudgePlan, gain: float, trials: int, seed: int) -> Rate:
    """`gain` 0.03: the candidate takes 1/1.03 of the time. With 0, what is found is false."""
    source = random.Random(seed)
    count = 0
    for _ in range(trials):
        blocks = tuple(_drawn(pool, gain, source) for _ in range(plan.looks[-1].blocks))
        count += accepts(plan, blocks)
    return Rate(count, trials)


def smallest_gain(
    pool: Pool, plan: JudgePlan, gains: Sequence[float], trials: int, seed: int
) -> tuple[tuple[float, Rate], ...]:
    """From the smallest gain on, up to the first that is found in 9 of 10 trials."""
    rates: list[tuple[float, Rate]] = []
    for gain in gains:
        rates.append((gain, found(pool, plan, gain, trials, seed)))
        if rates[-1][1].share >= 0.9:
            break
    return tuple(rates)


def _drawn(pool: Pool, gain: float, source: random.Random) -> Block:
    a, a2, b = source.sample(source.choice(pool), 3)
    return Block(a, a2, tuple(time / (1 + gain) for time in b) if gain else b)


def _at_most(count: int, trials: int, p: float) -> float:
    """The binomial distribution."""
    if p <= 0.0:
        return 1.0
    if p >= 1.0:
        return 1.0 if count >= trials else 0.0
    log_p, log_q, total = math.log(p), math.log1p(-p), 0.0
    whole = math.lgamma(trials + 1)
    for k in range(count + 1):
        ways = whole - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
        total += math.exp(ways + k * log_p + (trials - k) * log_q)
    return min(1.0, total)


def _solve(rising: Callable[[float], float], level: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if rising(middle) < level:
            low = middle
        else:
            high = middle
    return (low + high) / 2
