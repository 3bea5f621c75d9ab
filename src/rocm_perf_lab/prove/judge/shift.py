"""How much faster the candidate is: the estimate and the interval that belong to the exact test.

The candidate's logarithms are shifted until it looks like one more baseline process. The estimate
is the shift at which its scores are average; the interval holds every shift that the test does not
refuse, so that it has the coverage of the test whatever the noise is like.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable

import numpy as np

from rocm_perf_lab.prove.judge.permutation import Tails, excess, scores, tails
from rocm_perf_lab.prove.judge.process_value import Values

_FINE = 1e-5  # of the logarithm: a thousandth of a percent


@dataclass(frozen=True)
class Shift:
    """Logarithms of time ratios, baseline / candidate."""

    effect: float
    low: float
    high: float


def shifted_tails(values: Values, candidate: int, by: float = 0.0) -> Tails:
    return tails(scores(_shifted(values, candidate, by)), candidate)


def shift_of(values: Values, candidate: int, miss: float) -> Shift:
    """`miss` is the probability that the interval misses the truth, on each side."""
    reach = float(np.ptp(values)) + 10 * _FINE

    def excess_at(by: float) -> float:
        return excess(scores(_shifted(values, candidate, by)), candidate)

    def not_refused_as_faster(by: float) -> bool:
        return shifted_tails(values, candidate, by).low > miss

    def refused_as_slower(by: float) -> bool:
        return shifted_tails(values, candidate, by).high <= miss

    first = _begins(lambda by: excess_at(by) >= 0, -reach, reach)
    last = _begins(lambda by: excess_at(by) > 0, first, reach)
    effect = (first + last) / 2
    low = (
        -math.inf
        if not_refused_as_faster(-reach)
        else _begins(not_refused_as_faster, -reach, effect)
    )
    high = math.inf if not refused_as_slower(reach) else _begins(refused_as_slower, effect, reach)
    return Shift(effect=effect, low=low, high=high)


def noise_floor(baselines: Values) -> float:
    """|effect| + 2 standard errors of the baseline's second process against its first: the far end
    of the interval that leaves as much outside as two standard deviations do."""
    two_deviations = 0.02275
    shift = shift_of(baselines, 1, two_deviations)
    return max(abs(shift.low), abs(shift.high))


def _shifted(values: Values, candidate: int, by: float) -> Values:
    moved: Values = values.copy()
    moved[:, candidate] += by
    return moved


def _begins(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where a condition that holds at `high` begins to hold."""
    while high - low > _FINE:
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return (low + high) / 2
