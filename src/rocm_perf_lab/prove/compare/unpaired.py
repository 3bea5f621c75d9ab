"""Judging runs that were recorded one version after the other: an exact rank test.

If both are the same program, which runs are called HEAD is arbitrary. The probability of their rank
sum is counted over all choices, ties included. What the machine did between the two recordings is
not in the numbers, and no test finds it: interleaved blocks do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.prove.compare.judgement import (
    IMPROVEMENT,
    INCONCLUSIVE,
    NO_CHANGE,
    REGRESSION,
    Judgement,
    Word,
    not_judged,
)

ALPHA = 0.005  # on each side, over everything that is judged in one comparison
MOST_RUNS = 50  # of a side; more decide nothing else

Counts = npt.NDArray[np.float64]


def judge_runs(
    base: Sequence[float], head: Sequence[float], subjects: int, threshold: float
) -> Judgement:
    """One value per run of each side; ``subjects`` are judged together."""
    alpha = ALPHA / max(1, subjects)
    base, head = base[:MOST_RUNS], head[:MOST_RUNS]
    if min(len(base), len(head)) < 2 or not all(value > 0 for value in (*base, *head)):
        return not_judged(_few(len(base), len(head)), needed_runs(alpha))
    if 1 / math.comb(len(base) + len(head), len(base)) > alpha:
        return not_judged(_few(len(base), len(head)), needed_runs(alpha))
    logs = np.log(np.asarray(base)), np.log(np.asarray(head))
    p_faster, p_slower = rank_tails(*logs)
    differences = np.sort(np.subtract.outer(logs[1], logs[0]).ravel())
    reach = interval_rank(len(base), len(head), alpha)
    change = math.expm1(float(np.median(differences)))
    low = math.expm1(float(differences[reach]))
    high = math.expm1(float(differences[-1 - reach]))
    word = _word(change, low, high, (p_faster <= alpha, p_slower <= alpha), threshold)
    return Judgement(word, change, low, high, p_slower, p_faster, *_told(word, threshold))


def rank_tails(base: Counts, head: Counts) -> tuple[float, float]:
    """How probable a rank sum of HEAD as low, and as high, as the observed one is."""
    together = np.concatenate((base, head)).round(12)
    ordered = np.sort(together)
    ranks = (
        np.searchsorted(ordered, together, side="left")
        + np.searchsorted(ordered, together, side="right")
        + 1
    )  # twice the mean rank: an integer, also for ties
    sums = _sums_of_choices(ranks, len(head))
    observed = int(ranks[len(base) :].sum())
    whole = sums.sum()
    low, high = sums[: observed + 1].sum() / whole, sums[observed:].sum() / whole
    return min(1.0, float(low)), min(1.0, float(high))


def interval_rank(base: int, head: int, miss: float) -> int:
    """How many of the ordered differences lie outside the interval, on each side."""
    sums = _sums_of_choices(np.arange(1, base + head + 1), head)
    chances = np.cumsum(sums / sums.sum())[head * (head + 1) // 2 :]
    return max(0, int(np.searchsorted(chances, miss, side="right")) - 1)


def needed_runs(alpha: float = ALPHA) -> str:
    runs = 2
    while 1 / math.comb(2 * runs, runs) > alpha:
        runs += 1
    return f"at least {runs} runs of each: --runs {runs} --keep-trace DIR; or compare commands"


def _sums_of_choices(ranks: npt.NDArray[np.int64], chosen: int) -> Counts:
    """By sum: in how many ways that many of the ranks have it, as a share of all ways of n - 1."""
    largest = int(np.sort(ranks)[-chosen:].sum())
    ways = np.zeros((chosen + 1, largest + 1))
    ways[0, 0] = 1.0
    for rank in ranks.tolist():
        ways[1:, rank:] += ways[:-1, : largest + 1 - rank].copy()
        ways /= 2  # only ratios matter, and large numbers of ways would overflow
    return np.asarray(ways[chosen])


def _word(
    change: float, low: float, high: float, proven: tuple[bool, bool], threshold: float
) -> Word:
    faster, slower = proven
    if slower and change > threshold and low > 0:
        return REGRESSION
    if faster and 1 / (1 + change) - 1 > threshold and high < 0:
        return IMPROVEMENT
    if -threshold < low and high < threshold:
        return NO_CHANGE
    return INCONCLUSIVE


def _told(word: Word, threshold: float) -> tuple[str, Optional[str]]:
    if word == INCONCLUSIVE:
        reason = f"neither a change nor the absence of one above {threshold:.0%} is shown"
        return reason, "more runs of each, or compare the commands"
    if word == NO_CHANGE:
        return f"less than {threshold:.0%} apart", None
    return "an exact rank test of unpaired runs", None


def _few(base: int, head: int) -> str:
    return f"{base} and {head} runs: even a clear difference could be chance"
