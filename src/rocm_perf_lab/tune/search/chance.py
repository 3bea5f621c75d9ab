"""The chance that a configuration works at all, learned from those that did and did not.

Failures have reasons of their own (a limit of threads, of LDS, a combination nobody wrote code for)
and no run time, so that they are no part of the model of run time.
"""

from __future__ import annotations

from typing import Optional

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import ExtraTreesClassifier

from rocm_perf_lab.tune.search.features import Features

_TREES = 40
_LEAST = 0.02  # nothing is ruled out for good by a model
_REFIT = 1.1  # times the measurements of the last fit

Vector = npt.NDArray[np.float64]


class Chance:
    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._model: Optional[ExtraTreesClassifier] = None
        self._seen = (0, 0)  # measurements, failures

    def __call__(self, features: Features, worked: npt.NDArray[np.bool_], at: Features) -> Vector:
        failures = int((~worked).sum())
        if not failures or failures == len(worked):
            return np.ones(len(at))
        count, failed = self._seen
        if self._model is None or failures != failed or len(worked) >= _REFIT * count:
            model = ExtraTreesClassifier(_TREES, min_samples_leaf=1, random_state=self._seed)
            self._model = model.fit(features, worked)
            self._seen = (len(worked), failures)
        likely = self._model.predict_proba(at)[:, 1]
        return np.asarray(np.maximum(likely, _LEAST))
