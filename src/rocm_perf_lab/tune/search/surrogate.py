"""A Gaussian process over the logarithm of run time: what is expected, and how sure that is.

scikit-learn finds the length scales by maximum likelihood when there are a tenth more points than
the last time. Between that, the posterior over all candidates grows by one row per measurement.
"""

from __future__ import annotations

import warnings
from typing import Optional

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_triangular
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Kernel, Matern, WhiteKernel

from rocm_perf_lab.tune.search.features import Features

Vector = npt.NDArray[np.float64]

_REFIT = 1.1  # times the points of the last fit
_MOST_FITTED = 250  # points that length scales are found from; time grows with the third power


def new_kernel(dimensions: int) -> Kernel:
    """Features are within 0 and 1. Rough (nu 3/2): run time has steps."""
    shape = Matern(np.ones(dimensions), (0.1, 20.0), nu=1.5)
    return ConstantKernel(1.0, (1e-2, 1e2)) * shape + WhiteKernel(1e-3, (1e-6, 1.0))


def fitted(features: Features, values: Vector, kernel: Kernel) -> GaussianProcessRegressor:
    with warnings.catch_warnings():  # a length scale at its bound: the parameter does not matter
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
        return model.fit(features, values)


class Surrogate:
    """Expectation and standard deviation at fixed candidates, as measurements come in."""

    def __init__(self, candidates: Features) -> None:
        self._candidates = candidates
        self._kernel: Optional[Kernel] = None
        self._fitted_on = 0
        self._features = np.empty((0, candidates.shape[1]))
        self._whitened = np.empty((0, len(candidates)))  # inverse of the root times covariance
        self._root = np.empty((0, 0))

    def predict(self, features: Features, values: Vector) -> tuple[Vector, Vector]:
        """Of every candidate, from all measurements so far; those only ever grow at the end."""
        self._follow(features, values)
        centre, scale = float(values.mean()), float(values.std()) or 1.0
        residual = solve_triangular(self._root, (values - centre) / scale, lower=True)
        mean = self._whitened.T @ residual
        variance = self._prior - np.einsum("ij,ij->j", self._whitened, self._whitened)
        return centre + scale * mean, scale * np.sqrt(np.maximum(variance, 1e-12))

    def similarity(self, features: Features) -> npt.NDArray[np.float64]:
        """Between candidates (rows) and these points, 1 for the same place."""
        assert self._kernel is not None
        return np.asarray(
            self._kernel.k1(self._candidates, features) / self._kernel.k1.k1.constant_value
        )

    @property
    def _prior(self) -> float:
        assert self._kernel is not None
        return float(self._kernel.k1.k1.constant_value)

    @property
    def is_fitted(self) -> bool:
        return self._kernel is not None

    def _follow(self, features: Features, values: Vector) -> None:
        if self._kernel is None or len(values) >= _REFIT * self._fitted_on:
            start = self._kernel if self._kernel is not None else new_kernel(features.shape[1])
            some = _best_and_spread(values, _MOST_FITTED)
            self._kernel = fitted(features[some], values[some], start).kernel_
            self._fitted_on = len(values)
            self._features = features[:0]
            self._root, self._whitened = np.empty((0, 0)), np.empty((0, len(self._candidates)))
        self._append(features[len(self._features) :])

    def _append(self, fresh: Features) -> None:
        """The Cholesky root and what hangs on it, with more rows at the end."""
        if not len(fresh):
            return
        assert self._kernel is not None
        old, count = self._features, len(self._features)
        noise = float(self._kernel.k2.noise_level) + 1e-8
        corner = self._kernel.k1(fresh) + noise * np.eye(len(fresh))
        side = np.zeros((len(fresh), 0))
        if count:
            cross = self._kernel.k1(old, fresh)
            side = solve_triangular(self._root, cross, lower=True).T
            corner = corner - side @ side.T
        block = np.linalg.cholesky(corner)
        grown = np.zeros((count + len(fresh),) * 2)
        grown[:count, :count], grown[count:, :count] = self._root, side
        grown[count:, count:] = block
        rows = self._kernel.k1(fresh, self._candidates) - side @ self._whitened
        self._whitened = np.vstack([self._whitened, solve_triangular(block, rows, lower=True)])
        self._root, self._features = grown, np.vstack([old, fresh])


def _best_and_spread(values: Vector, most: int) -> npt.NDArray[np.intp]:
    """At most so many points: the faster half of them by rank, the rest evenly over the others."""
    if len(values) <= most:
        return np.arange(len(values))
    order = np.argsort(values, kind="stable")
    half = most // 2
    rest = order[half:]
    return np.sort(np.concatenate([order[:half], rest[:: max(1, len(rest) // half)][:half]]))
