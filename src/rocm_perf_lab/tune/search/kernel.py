"""How alike two configurations are: alone per parameter, in pairs, and all together.

The kernel is the product of ``1 + weight * similarity`` over the features. Multiplied out, that is
a sum over all sets of features: single ones first, then pairs, and so on, each with the product of
its weights. Small weights make a model in which parameters act on their own, which a few dozen
measurements can teach; large ones let them act together. A weight near 0 leaves a feature out.

Weights, amplitude and noise are those of the largest posterior density. Without a prior, ten
measurements and as many weights would explain anything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve
from scipy.optimize import minimize

from rocm_perf_lab.tune.search.features import Features

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]

LENGTH = 0.5  # of similarity along one feature, which goes from 0 to 1
JITTER = 1e-8
_LARGEST_TABLE = 1024
_ITERATIONS = (60, 15)  # from the expectation, and from the last fit
# Of the logarithms of weights, amplitude and noise: where they are expected, and how firmly.
_EXPECTED = (math.log(0.5), 0.0, math.log(1e-3))
_FIRMNESS = (1.5, 1.0, 2.0)
_WITHIN = ((-7.0, 4.0), (-4.0, 5.0), (math.log(1e-6), 0.0))


@dataclass(frozen=True)
class Kernel:
    """Features are within 0 and 1, values have mean 0 and variance 1."""

    weights: Vector
    amplitude: float
    noise: float

    def __call__(self, one: Features, other: Features) -> Matrix:
        found = np.full((len(one), len(other)), self.amplitude)
        for column, weight in enumerate(self.weights):
            alike = similarity(one[:, column], other[:, column])
            found *= (1 + weight * alike) / (1 + weight)
        return found


def similarity(one: Vector, other: Vector) -> Matrix:
    """Matérn with nu 3/2: run time has steps."""
    distance = np.abs(one[:, None] - other[None, :]) * (math.sqrt(3) / LENGTH)
    return np.asarray((1 + distance) * np.exp(-distance))


class Candidates:
    """Covariance with many fixed points, by looking up: few features together have few different
    values, and each lookup goes over all candidates."""

    def __init__(self, features: Features) -> None:
        self.count = len(features)
        self._groups = []
        for columns in _with_few_values(features):
            levels, places = np.unique(features[:, columns], axis=0, return_inverse=True)
            self._groups.append((columns, levels, places.reshape(-1)))

    def covariance(self, kernel: Kernel, points: Features) -> Matrix:
        """A row for each point."""
        found = np.full((len(points), self.count), kernel.amplitude)
        for columns, levels, places in self._groups:
            part = Kernel(kernel.weights[columns], 1.0, 0.0)
            found *= part(points[:, columns], levels)[:, places]
        return found


def _with_few_values(features: Features) -> list[list[int]]:
    """Neighbouring columns together as long as a table of all their values stays small."""
    groups: list[list[int]] = []
    size = _LARGEST_TABLE + 1
    for column, values in enumerate(features.T):
        different = len(np.unique(values))
        if size * different > _LARGEST_TABLE:
            groups.append([])
            size = 1
        groups[-1].append(column)
        size *= different
    return groups


def new_kernel(dimensions: int) -> Kernel:
    weight, amplitude, noise = map(math.exp, _EXPECTED)
    return Kernel(np.full(dimensions, weight), amplitude, noise)


def fitted(features: Features, values: Vector, start: Optional[Kernel] = None) -> Kernel:
    dimensions = features.shape[1]
    first = new_kernel(dimensions) if start is None else start
    alike = np.array([similarity(column, column) for column in features.T])
    counts = (dimensions, 1, 1)
    found = minimize(
        _loss,
        np.log([*first.weights, first.amplitude, first.noise]),
        args=(alike, values, np.repeat(_EXPECTED, counts), np.repeat(_FIRMNESS, counts)),
        jac=True,
        method="L-BFGS-B",
        bounds=[bound for bound, count in zip(_WITHIN, counts) for _ in range(count)],
        options={"maxiter": _ITERATIONS[start is not None]},
    )
    best = np.exp(found.x)
    return Kernel(best[:-2], float(best[-2]), float(best[-1]))


def _loss(
    at: Vector, alike: Matrix, values: Vector, expected: Vector, firmness: Vector
) -> tuple[float, Vector]:
    """The negative logarithm of the posterior density, and how it changes with ``at``."""
    weights = np.exp(at[:-2])[:, None, None]
    amplitude, noise = np.exp(at[-2:])
    factors = 1 + weights * alike
    signal = amplitude * np.prod(factors / (1 + weights), axis=0)
    covariance = signal + (noise + JITTER) * np.eye(len(values))
    root = np.linalg.cholesky(covariance)
    solved = cho_solve((root, True), values)
    off = (at - expected) / firmness
    loss = 0.5 * values @ solved + np.log(np.diag(root)).sum() + 0.5 * off @ off
    inner = cho_solve((root, True), np.eye(len(values))) - np.outer(solved, solved)
    shaped = inner * signal
    parts = 1 - 1 / factors - (weights / (1 + weights))  # of the logarithm of the signal
    slope = np.einsum("ij,kij->k", shaped, parts)
    both = [shaped.sum(), noise * np.trace(inner)]
    return float(loss), 0.5 * np.concatenate([slope, both]) + off / firmness
