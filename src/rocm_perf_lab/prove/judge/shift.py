"""How much faster the candidate is: the estimate and the interval that belong to the exact test.

The candidate's logarithms are shifted until it looks like one more baseline process. The estimate
is the shift at which its scores are average; the interval holds every shift that the test does not
refuse, so that it has the coverage of the test whatever the noise is like.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Callable

import numpy as np

from rocm_perf_lab.prove.judge.permutation import Tails, scores, standard, tails
from rocm_perf_lab.prove.judge.process_value import Values

_FINE = 1e-5  # of the logarithm: a thousandth of a percent


@dataclass(frozen=True)
class Shift:
    """Logarithms of time ratios, baseline / candidate."""

    effect: float
    low: float
    high: float


def shifted_tails(values: Values, candidate: int, by: float = 0.0) -> Tails:
    return tails(scores(shifted(values, candidate, by)), candidate)


def clearly_within(values: Values, candidate: int, deviations: float, by: float = 0.0) -> bool:
    """Quick, for trials by the thousand: the candidate's scores are so near to average that no
    exact test at a small level can refuse it."""
    return abs(_standard(values, candidate, by)) < deviations


def shift_of(values: Values, candidate: int, miss: float) -> Shift:
    """`miss` is the probability that the interval misses the truth, on each side."""
    reach = float(np.ptp(values)) + 10 * _FINE

    def not_refused_as_faster(by: float) -> bool:
        return shifted_tails(values, candidate, by).low > miss

    def refused_as_slower(by: float) -> bool:
        return shifted_tails(values, candidate, by).high <= miss

    effect = _centre(values, candidate, reach)
    low, high = -math.inf, math.inf
    if not not_refused_as_faster(-reach):
        near = _deviations_at(values, candidate, -_deviations(miss), -reach, effect)
        low = _begins_near(not_refused_as_faster, near, -reach, effect)
    if refused_as_slower(reach):
        near = _deviations_at(values, candidate, _deviations(miss), effect, reach)
        high = _begins_near(refused_as_slower, near, effect, reach)
    return Shift(effect=effect, low=low, high=high)


def centre_of(values: Values, candidate: int) -> float:
    """The estimate alone."""
    return _centre(values, candidate, float(np.ptp(values)) + 10 * _FINE)


def noise_floor(baselines: Values) -> float:
    """|effect| + 2 standard errors of the baseline's second process against its first: how far the
    shift goes at which its scores are two standard deviations from average."""
    reach = float(np.ptp(baselines)) + 10 * _FINE
    if abs(_standard(baselines, 1, reach)) < 2 or abs(_standard(baselines, 1, -reach)) < 2:
        return math.inf  # so few blocks that even that would be chance
    effect = _centre(baselines, 1, reach)
    low = _deviations_at(baselines, 1, -2.0, -reach, effect)
    high = _deviations_at(baselines, 1, 2.0, effect, reach)
    return max(abs(low), abs(high))


def _centre(values: Values, candidate: int, reach: float) -> float:
    """The shift at which the candidate's scores are average; the middle when there are several."""
    first = _begins(lambda by: _standard(values, candidate, by) >= 0, -reach, reach)
    last = _begins(lambda by: _standard(values, candidate, by) > 0, first - _FINE, reach)
    return (first + last) / 2


def _standard(values: Values, candidate: int, by: float) -> float:
    return standard(scores(shifted(values, candidate, by)), candidate)


def _deviations_at(
    values: Values, candidate: int, deviations: float, low: float, high: float
) -> float:
    return _begins(lambda by: _standard(values, candidate, by) >= deviations, low, high)


def _deviations(miss: float) -> float:
    return -NormalDist().inv_cdf(miss)


def shifted(values: Values, candidate: int, by: float) -> Values:
    moved: Values = values.copy()
    moved[:, candidate] += by
    return moved


def _begins_near(holds: Callable[[float], bool], near: float, low: float, high: float) -> float:
    """As `_begins`, but looks around a good guess first."""
    step = 64 * _FINE
    above = near
    while above < high and not holds(above):
        low, above, step = above, above + step, 2 * step
    high = min(above, high)
    below, step = min(near, high) - 64 * _FINE, 64 * _FINE
    while below > low and holds(below):
        high, below, step = below, below - step, 2 * step
    return _begins(holds, max(below, low), high)


def _begins(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where a condition that holds at `high` begins to hold."""
    while high - low > _FINE:
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return (low + high) / 2
