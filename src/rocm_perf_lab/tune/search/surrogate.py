"""A Gaussian process: what is expected at every candidate, and how sure that is.

Its kernel is fitted again when there are some more points than the last time. Between that, the
posterior over all candidates grows by one row per measurement.
"""

from __future__ import annotations

from typing import Optional

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_triangular

from rocm_perf_lab.tune.search.features import Features
from rocm_perf_lab.tune.search.kernel import JITTER, Candidates, Kernel, fitted

Vector = npt.NDArray[np.float64]

_REFIT = 1.2  # times the points of the last fit
_NOWHERE: Features = np.empty((0, 0))
_MOST_FITTED = 250  # points that a kernel is fitted to; time grows with the third power


class Surrogate:
    """Expectation and standard deviation at fixed candidates, as measurements come in."""

    def __init__(self, candidates: Features = _NOWHERE) -> None:
        self._candidates = Candidates(candidates)
        self.kernel: Optional[Kernel] = None
        self._fitted_on = 0
        self._forget(candidates.shape[1])

    def at(self, candidates: Features) -> Surrogate:
        """The same kernel for other candidates."""
        other = Surrogate(candidates)
        other.kernel, other._fitted_on = self.kernel, self._fitted_on
        other._forget(candidates.shape[1])
        return other

    def predict(self, features: Features, values: Vector) -> tuple[Vector, Vector]:
        """Of every candidate, from all measurements so far; those only ever grow at the end."""
        centre, scale = float(values.mean()), float(values.std()) or 1.0
        scaled = (values - centre) / scale
        self._follow(features, scaled)
        count = len(self._features)
        solved = solve_triangular(self._root[:count, :count], scaled, lower=True)
        mean = solved @ self._whitened[:count]
        return centre + scale * mean, scale * np.sqrt(np.maximum(self._variance, 1e-12))

    def similarity(self, features: Features) -> npt.NDArray[np.float64]:
        """Between candidates (columns) and these points, 1 for the same place."""
        assert self.kernel is not None
        return self._candidates.covariance(self.kernel, features) / self.kernel.amplitude

    def _forget(self, dimensions: int) -> None:
        self._features = np.empty((0, dimensions))
        self._root = np.empty((0, 0))
        self._whitened = np.empty((0, self._candidates.count))  # inverse of the root, covariance
        prior = 0.0 if self.kernel is None else self.kernel.amplitude
        self._variance = np.full(self._candidates.count, prior)

    def _follow(self, features: Features, scaled: Vector) -> None:
        if self.kernel is None or len(scaled) >= _REFIT * self._fitted_on:
            some = _best_and_spread(scaled, _MOST_FITTED)
            self.kernel = fitted(features[some], scaled[some], self.kernel)
            self._fitted_on = len(scaled)
            self._forget(features.shape[1])
        self._append(features[len(self._features) :])

    def _append(self, fresh: Features) -> None:
        """The Cholesky root and what hangs on it, with more rows at the end."""
        if not len(fresh):
            return
        assert self.kernel is not None
        old, count = self._features, len(self._features)
        total = count + len(fresh)
        corner = self.kernel(fresh, fresh) + (self.kernel.noise + JITTER) * np.eye(len(fresh))
        rows = self._candidates.covariance(self.kernel, fresh)
        self._make_room(total)
        if count:
            cross = self.kernel(old, fresh)
            side = solve_triangular(self._root[:count, :count], cross, lower=True).T
            corner = corner - side @ side.T
            rows -= side @ self._whitened[:count]
            self._root[count:total, :count] = side
        block = np.linalg.cholesky(corner)
        rows = solve_triangular(block, rows, lower=True)
        self._root[count:total, count:total] = block
        self._whitened[count:total] = rows
        self._variance -= np.einsum("ij,ij->j", rows, rows)
        self._features = np.vstack([old, fresh])

    def _make_room(self, total: int) -> None:
        """Twice as much when it is full: copying all of it for each row would take over."""
        room = len(self._whitened)
        if total <= room:
            return
        more = max(total, 2 * room) - room
        self._root = np.pad(self._root, ((0, more), (0, more)))
        self._whitened = np.pad(self._whitened, ((0, more), (0, 0)))


def _best_and_spread(values: Vector, most: int) -> npt.NDArray[np.intp]:
    """At most so many points: the faster half of them by rank, the rest evenly over the others."""
    if len(values) <= most:
        return np.arange(len(values))
    order = np.argsort(values, kind="stable")
    half = most // 2
    rest = order[half:]
    return np.sort(np.concatenate([order[:half], rest[:: max(1, len(rest) // half)][:half]]))
