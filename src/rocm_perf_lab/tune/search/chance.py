"""The chance that a configuration works at all, learned from those that did and did not.

Failures have reasons of their own (a limit of threads, of LDS, a combination nobody wrote code for)
and no run time, so that they are outside of the model of run time. A second Gaussian process learns
1 where it failed and 0 where it worked; the chance is that of being below one half.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from rocm_perf_lab.tune.search.features import Features
from rocm_perf_lab.tune.search.surrogate import Surrogate

_LEAST = 1e-4  # nothing is ruled out for good by a model

Vector = npt.NDArray[np.float64]


class Chance:
    """Of every candidate."""

    def __init__(self) -> None:
        self._count = 0
        self._failure = Surrogate()

    def at(self, candidates: Features) -> Chance:
        other = Chance()
        other._count, other._failure = len(candidates), self._failure.at(candidates)
        return other

    def __call__(self, features: Features, worked: npt.NDArray[np.bool_]) -> Vector:
        if worked.all() or not worked.any():
            return np.ones(self._count)
        expected, deviation = self._failure.predict(features, (~worked).astype(float))
        return np.asarray(np.maximum(ndtr((0.5 - expected) / deviation), _LEAST))
