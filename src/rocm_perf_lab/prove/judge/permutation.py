"""The exact test: could any process of a block as well have been the candidate?

When the candidate is nothing but the baseline again, the processes of a block are exchangeable:
they ran the same program in random order, so each was "the candidate" with the same probability.
That holds for every distribution of the noise. The test statistic is a sum over blocks of a bounded
score of the candidate's process; its distribution under all ways to name the candidates (3 to the
power of the blocks, or 2 with one baseline process) is computed exactly, by convolution.

Scores never look at who is the candidate:

* a process' value less the drift of its block. The drift is a low quantile of the values of its own
  and the neighbouring blocks, counted as far as neighbouring blocks are alike at all;
* the rank of that among all processes, where the slowest quarter counts the same: how much slower a
  disturbed process was says nothing about the code.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.prove.judge.process_value import Values

WINDOW = 5  # blocks: its own, and two before and behind it
CENTRE = 0.4  # below the middle: disturbances are above it
CAP = 0.75  # of the ranks; those above count the same
_MOST_SUMS = 1 << 12  # of the convolution; more blocks get coarser scores, the test stays exact

Scores = npt.NDArray[np.int64]


class Tails(NamedTuple):
    """How probable a sum as low (the candidate is faster) or as high as the observed one is."""

    low: float
    high: float


def scores(values: Values) -> Scores:
    """Integers from 0; the lower, the faster. Equal values get equal scores."""
    blocks = values.shape[0]
    flat = np.round(values - _drift(values)[:, None], 12).ravel()
    sorted_values = np.sort(flat)
    below = np.searchsorted(sorted_values, flat, side="left")
    through = np.searchsorted(sorted_values, flat, side="right")
    twice_rank = np.minimum(below + through, int(2 * CAP * flat.size))
    levels = max(8, _MOST_SUMS // blocks)
    if flat.size > levels:
        twice_rank = twice_rank * levels // flat.size
    return np.asarray(twice_rank.reshape(values.shape), dtype=np.int64)


def _drift(values: Values) -> npt.NDArray[np.float64]:
    blocks, processes = values.shape
    windows = np.sort(values[_windows(blocks)].reshape(blocks, -1), axis=1)
    local = windows[:, int(CENTRE * (windows.shape[1] - 1) + 0.5)]
    middle = np.sort(values, axis=1)[:, (processes - 1) // 2]
    return np.asarray(local * _likeness(middle))


@lru_cache(maxsize=64)
def _windows(blocks: int) -> npt.NDArray[np.int64]:
    width = min(WINDOW, blocks)
    starts = np.clip(np.arange(blocks) - width // 2, 0, blocks - width)
    return np.asarray(starts[:, None] + np.arange(width))


def _likeness(of_blocks: npt.NDArray[np.float64]) -> float:
    """How much a block says about the next one: the rank correlation of neighbours, 0 to 1."""
    blocks = of_blocks.size
    ranks = np.empty(blocks)
    ranks[np.argsort(of_blocks, kind="stable")] = np.arange(blocks) - (blocks - 1) / 2
    total = blocks * (blocks * blocks - 1) / 12
    return max(0.0, float(ranks[1:] @ ranks[:-1]) / total) if blocks > 1 else 0.0


def standard(of: Scores, candidate: int) -> float:
    """The candidate's scores above average, in standard deviations of those of any process."""
    processes = of.shape[1]
    sums = of.sum(axis=1)
    variance = float((of * of).sum()) / processes - float(sums @ sums) / processes**2
    above = float(of[:, candidate].sum()) - float(sums.sum()) / processes
    return above / math.sqrt(variance) if variance > 0 else 0.0


def tails(of: Scores, candidate: int) -> Tails:
    """Exact, down to the rounding error of sums of doubles."""
    smallest = of.min(axis=1)
    raised = of - smallest[:, None]
    observed = int(raised[:, candidate].sum())
    sums = np.ones(1)
    share = 1.0 / of.shape[1]
    for row in raised:
        longer = np.zeros(sums.size + int(row.max()))
        for score in row:
            longer[score : score + sums.size] += sums
        sums = longer * share
    return Tails(
        low=min(1.0, float(sums[: observed + 1].sum())),
        high=min(1.0, float(sums[observed:].sum())),
    )
