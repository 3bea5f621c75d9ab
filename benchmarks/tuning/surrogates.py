"""Which model predicts run times best from a hundred measurements: cross-validated, same spaces.

R2 of the logarithm of run time on held-out folds, median over draws. What is called ours is the
Gaussian process that the search uses; the others are scikit-learn's.

    python -m benchmarks.tuning.surrogates --draws 5
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from typing import Any, Callable

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from threadpoolctl import threadpool_limits

from benchmarks.tuning.spaces import SPACES, folder, recorded_space
from rocm_perf_lab.tune.journal import key_of
from rocm_perf_lab.tune.search.features import FeatureMap
from rocm_perf_lab.tune.search.surrogate import Surrogate

MEASURED = 100
Array = npt.NDArray[np.float64]


class Ours:
    def fit(self, features: Array, values: Array) -> Ours:
        self._known = features, values
        return self

    def predict(self, features: Array) -> Array:
        return Surrogate(features).predict(*self._known)[0]


def matern(dimensions: int) -> GaussianProcessRegressor:
    shape = Matern(np.ones(dimensions), (0.1, 20.0), nu=1.5)
    kernel = ConstantKernel(1.0, (1e-2, 1e2)) * shape + WhiteKernel(1e-3, (1e-6, 1.0))
    return GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)


MODELS: dict[str, Callable[[int], Any]] = {
    "Gaussian process, features add up and act together (ours)": lambda _: Ours(),
    "Gaussian process, one Matérn kernel": matern,
    "boosted trees": lambda _: GradientBoostingRegressor(random_state=0),
    "random forest": lambda _: RandomForestRegressor(100, random_state=0),
    "polynomial of degree 2, ridge": lambda _: make_pipeline(
        PolynomialFeatures(2), RidgeCV(np.logspace(-4, 2, 7))
    ),
}


def held_out_r2(make: Callable[[int], Any], features: Array, values: Array) -> float:
    predicted = np.empty(len(values))
    for known, held in KFold(5, shuffle=True, random_state=0).split(features):
        model = make(features.shape[1]).fit(features[known], values[known])
        predicted[held] = model.predict(features[held])
    return float(1 - ((values - predicted) ** 2).sum() / ((values - values.mean()) ** 2).sum())


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--spaces", nargs="+", default=SPACES)
    options = parser.parse_args(argv)
    if not folder().is_dir():
        print("no tuning-spaces; ROCM_PERF_RECORDINGS names their folder")
        return 0
    warnings.simplefilter("ignore")  # length scales at their bounds
    for name in options.spaces:
        recorded = recorded_space(name)
        space = recorded.space
        found: dict[str, list[float]] = {model: [] for model in MODELS}
        for draw in range(options.draws):
            rows = space.sample(np.random.default_rng(draw), 2 * MEASURED)
            answers = [recorded.answers[key_of(space.configuration(row))].value for row in rows]
            good = [i for i, value in enumerate(answers) if value is not None][:MEASURED]
            features = FeatureMap(space.parameters)(rows[good])
            values = np.log([answers[i] or 1.0 for i in good])
            with threadpool_limits(1):
                for model, make in MODELS.items():
                    found[model].append(held_out_r2(make, features, values))
        for model, scores in found.items():
            print(f"| {name} | {model} | {np.median(scores):.2f} | {min(scores):.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
