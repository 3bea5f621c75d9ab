"""The usual rule, to compare with: medians, the mean of log(A/B) above 1 % and |A/A2| + 2 standard
errors, and a 99 % bootstrap interval above 0. No exact test, no confirmation."""

from __future__ import annotations

import math

import numpy as np

from rocm_perf_lab.prove.judge import Block

BLOCKS = 24
_RESAMPLES = 1000


def accepts(blocks: tuple[Block, ...], random: np.random.Generator) -> bool:
    times = np.array([block.processes() for block in blocks])
    a, a2, b = np.log(np.median(times, axis=2)).T
    gains, noise = a - b, a - a2
    own = abs(float(noise.mean())) + 2 * float(noise.std(ddof=1)) / math.sqrt(len(blocks))
    if float(gains.mean()) <= max(math.log1p(0.01), own):
        return False
    picked = random.integers(0, len(blocks), (_RESAMPLES, len(blocks)))
    return float(np.quantile(gains[picked].mean(axis=1), 0.005)) > 0
