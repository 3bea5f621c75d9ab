"""How often pure noise is believed: a model of 40 times that depend on nothing."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from rocm_perf_lab.tune.search.quality import model_quality
from rocm_perf_lab.tune.space.space_file import space_of

SPACE = space_of(
    {
        "block": [16, 32, 48, 64, 96, 128, 192, 256],
        "rows": [1, 2, 4, 8],
        "tile": [1, 2, 3, 4],
        "path": ["lds", "direct"],
    }
)


def warned_about_noise(seeds: int) -> float:
    """The part of the seeds with low confidence; the promise is 95 % of 200."""
    warned = 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        rows, times = list(SPACE.sample(rng, 40)), list(np.exp(rng.normal(size=40)))
        with threadpool_limits(1):
            warned += model_quality(SPACE, rows, times).is_low
    return warned / seeds
