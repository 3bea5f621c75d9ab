"""How much a model of the measurements can be believed, and which parameters matter.

Both from held-out folds: each fold is predicted by a model that never saw it. A model that only
repeats what it was given has no quality here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold

from rocm_perf_lab.tune.search.features import FeatureMap, Features
from rocm_perf_lab.tune.search.surrogate import Surrogate
from rocm_perf_lab.tune.space import Codes, Space

LOW_CONFIDENCE = 0.75  # R2 below it is said
_FOLDS = 5
_LEAST = 10  # measurements; fewer say nothing
_MOST = 300  # the time of a fit grows with the third power

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ModelQuality:
    """Of the logarithm of run time. None where there are too few measurements."""

    r2: Optional[float]
    residual_std: Optional[float]
    importance: dict[str, float]  # part of the explained variance that goes with a parameter

    @property
    def is_low(self) -> bool:
        return self.r2 is None or self.r2 < LOW_CONFIDENCE


def model_quality(space: Space, rows: Sequence[Codes], values: Sequence[float]) -> ModelQuality:
    if len(rows) < _LEAST:
        return ModelQuality(None, None, {})
    chosen = np.linspace(0, len(rows) - 1, min(_MOST, len(rows))).astype(int)
    feature_map = FeatureMap(space.parameters)
    features = feature_map(np.array(rows, np.int32)[chosen])
    target = np.log(np.array(values, float)[chosen])
    spread = float(((target - target.mean()) ** 2).sum())
    if spread == 0 or not feature_map.names:
        return ModelQuality(None, 0.0 if spread == 0 else None, {})
    predicted, shuffled = _held_out(features, target, feature_map.owners)
    error = float(((target - predicted) ** 2).sum())
    harm = {name: float(((target - other) ** 2).sum()) - error for name, other in shuffled.items()}
    total = sum(max(0.0, one) for one in harm.values())
    importance = {n: max(0.0, one) / total if total else 0.0 for n, one in harm.items()}
    return ModelQuality(1 - error / spread, float(np.sqrt(error / len(target))), importance)


def _held_out(
    features: Features, target: Vector, owners: Sequence[str]
) -> tuple[Vector, dict[str, Vector]]:
    """What each fold is predicted to be, and what with one parameter mixed up among its rows."""
    rng = np.random.default_rng(0)
    predicted = np.empty(len(target))
    shuffled = {name: np.empty(len(target)) for name in dict.fromkeys(owners)}
    for known, held in KFold(_FOLDS, shuffle=True, random_state=0).split(features):
        asked = [features[held]]
        for name in shuffled:
            mixed = features[held].copy()
            columns = [i for i, owner in enumerate(owners) if owner == name]
            mixed[:, columns] = mixed[rng.permutation(len(held))][:, columns]
            asked.append(mixed)
        expected, _ = Surrogate(np.vstack(asked)).predict(features[known], target[known])
        predicted[held], *others = np.split(expected, len(asked))
        for other, found in zip(shuffled.values(), others):
            other[held] = found
    return predicted, shuffled
