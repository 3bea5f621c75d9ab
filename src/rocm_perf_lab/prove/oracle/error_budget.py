"""Numbers that should be the same: are they, and if not, is that rounding? Pure.

Reordering a sum changes its last bits. How many depends on the problem: so the budget of an element
is what the baseline itself moves when its inputs move by one unit in the last place, times some
factor, and at least a few units of the result. NaN equals only NaN, an infinity only itself.

With a reference of higher precision the baseline's own error is known. Errors are then measured
from the reference and may be some times the baseline's, but never as large as one precision lower
is off; the other factors are a quarter. What is within those of the baseline itself is right as
well. Elements of which the reference says something quite else than the baseline are not rounded
but computed in another way: there it is not believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np
from numpy.typing import NDArray

from rocm_perf_lab.prove.oracle.element_type import Bytes, ElementType, Numbers

Flags = NDArray[np.bool_]
_WORST_OF_ALL = float("inf")


@dataclass(frozen=True)
class Budget:
    """Factors; ``eps`` is of the element's type."""

    sensitivity: float  # times what one unit of the inputs changes
    element: float  # times eps times the element itself
    tensor: float  # times eps times the largest element, for elements that are not tiny beside it
    rms: float  # times the sensitivity over all elements
    own_error: float = 0.0  # times the baseline's own error, which only a reference tells


WIDE = Budget(sensitivity=64.0, element=8.0, tensor=64.0, rms=32.0)
WIDE_BY_REFERENCE = Budget(sensitivity=16.0, element=8.0, tensor=16.0, rms=8.0, own_error=4.0)
# Narrow types are stored, not computed in: one rounding of the result is all that may differ.
NARROW = Budget(sensitivity=0.0, element=1.0, tensor=0.25, rms=32.0)
NARROW_BY_REFERENCE = Budget(sensitivity=0.0, element=1.0, tensor=0.25, rms=8.0, own_error=1.0)
_MOST_OWN = 0.25  # of the next lower precision's eps; rounding to it is off by up to a half
_TINY = 2.0**-10  # below this part of the largest element only its own size counts


@dataclass(frozen=True)
class ElementFinding:
    different: int
    over_budget: int
    rms_over_budget: bool
    max_relative: Optional[float]
    max_ulp: Optional[float]
    mean_ulp: Optional[float]
    worst_index: Optional[int]
    worst_expected: float
    worst_found: float
    worst_error: float
    worst_allowed: float

    @property
    def ok(self) -> bool:
        return not self.over_budget and not self.rms_over_budget


@dataclass(frozen=True)
class Expectation:
    """What an element should be, and what is known about how sharply."""

    baseline: Numbers
    sensitivity: Optional[Numbers] = None  # what the baseline moves with its inputs
    reference: Optional[Numbers] = None  # of higher precision

    def believed(self, kind: ElementType) -> Flags:
        """Where the reference counts: the baseline is off by rounding at most, which is less than
        one precision lower would be. What is not finite in either is the baseline's to say."""
        if self.reference is None:
            return np.zeros(self.baseline.shape, dtype=np.bool_)
        finite = np.isfinite(self.baseline) & np.isfinite(self.reference)
        size = np.abs(np.where(finite, self.reference, 0.0))
        with np.errstate(all="ignore"):
            own = np.abs(self.baseline - self.reference)
            return finite & (own <= kind.lower_eps * np.maximum(size, _rms(size)))

    def truth(self, kind: ElementType) -> Numbers:
        if self.reference is None:
            return self.baseline
        return np.where(self.believed(kind), self.reference, self.baseline)


def judge_elements(
    expectation: Expectation, found_bytes: Bytes, kind: ElementType
) -> ElementFinding:
    """Elements of a floating-point buffer. Bits that differ in NaN only are the same."""
    baseline, truth = expectation.baseline, expectation.truth(kind)
    found = kind.decode(found_bytes)
    with np.errstate(all="ignore"):
        same = (found == baseline) & (np.signbit(found) == np.signbit(baseline))
        same |= np.isnan(found) & np.isnan(baseline)
        error = np.abs(found - truth)
    comparable = np.isfinite(found) & np.isfinite(truth)
    error = np.where(comparable, error, np.where(same, 0.0, _WORST_OF_ALL))
    allowed = allowed_errors(expectation, kind)
    if expectation.reference is not None:
        allowed = _or_near_baseline(expectation, found, error, allowed, kind)
    # -0 for 0 is rounding as well; what is not finite has no budget.
    over = (error > allowed) & ~same
    return _finding(truth, found, error, allowed, same, over, kind, expectation)


def allowed_errors(expectation: Expectation, kind: ElementType) -> Numbers:
    """From the truth."""
    plain, informed = _budgets(kind)
    truth, believed = expectation.truth(kind), expectation.believed(kind)
    by_reference = np.maximum(
        _allowed(expectation, truth, informed, kind),
        _own_errors(expectation.baseline, truth, believed, informed, kind),
    )
    return np.where(believed, by_reference, _allowed(expectation, truth, plain, kind))


def _own_errors(
    baseline: Numbers, truth: Numbers, believed: Flags, budget: Budget, kind: ElementType
) -> Numbers:
    """Times what the baseline itself is off by; an element that it meets by luck is not exact."""
    with np.errstate(all="ignore"):
        own = np.where(believed, np.abs(baseline - truth), 0.0)
        size = np.where(believed, np.abs(truth), 0.0)
        usual = _rms(size[believed])
        typical = _rms(own[believed]) / usual if usual else 0.0
        most = _MOST_OWN * kind.lower_eps * np.maximum(size, usual)
        return np.minimum(budget.own_error * np.maximum(own, typical * size), most)


def _or_near_baseline(
    expectation: Expectation, found: Numbers, error: Numbers, allowed: Numbers, kind: ElementType
) -> Numbers:
    """A candidate that does as the baseline does is as right, however wrong that is."""
    _, informed = _budgets(kind)
    with np.errstate(all="ignore"):
        distance = np.abs(found - expectation.baseline)
    near = distance <= _allowed(expectation, expectation.baseline, informed, kind)
    return np.where(near & np.isfinite(error), np.maximum(allowed, error), allowed)


def _budgets(kind: ElementType) -> tuple[Budget, Budget]:
    """Without and with a reference."""
    return (WIDE, WIDE_BY_REFERENCE) if kind.is_wide else (NARROW, NARROW_BY_REFERENCE)


def _allowed(
    expectation: Expectation, truth: Numbers, budget: Budget, kind: ElementType
) -> Numbers:
    size = np.where(np.isfinite(truth), np.abs(truth), 0.0)
    largest = float(size.max()) if size.size else 0.0
    with np.errstate(all="ignore"):
        allowed = budget.element * np.maximum(kind.eps * size, kind.ulp(size))
        floor = budget.tensor * kind.eps * largest
        allowed = np.where(size >= _TINY * largest, np.maximum(allowed, floor), allowed)
        if expectation.sensitivity is not None:
            moved = np.where(np.isfinite(expectation.sensitivity), expectation.sensitivity, 0.0)
            relative = moved[size > 0] / size[size > 0]
            typical = float(np.median(relative)) if relative.size else 0.0
            allowed = np.maximum(allowed, budget.sensitivity * np.maximum(moved, typical * size))
    return np.asarray(allowed)


def _finding(
    truth: Numbers,
    found: Numbers,
    error: Numbers,
    allowed: Numbers,
    same: np.ndarray,
    over: np.ndarray,
    kind: ElementType,
    expectation: Expectation,
) -> ElementFinding:
    different = int(np.count_nonzero(~same))
    if not different:
        return ElementFinding(0, 0, False, 0.0, 0.0, 0.0, None, 0.0, 0.0, 0.0, 0.0)
    with np.errstate(all="ignore"):
        ulps = error / kind.ulp(truth)
        relative = error / np.abs(truth)
        excess = np.where(same, -1.0, np.where(allowed > 0, error / allowed, _WORST_OF_ALL))
    worst = int(np.argmax(np.where(np.isnan(excess), _WORST_OF_ALL, excess)))
    measurable = np.isfinite(ulps) & ~same
    shares = relative[np.isfinite(relative)]
    return ElementFinding(
        different=different,
        over_budget=int(np.count_nonzero(over)),
        rms_over_budget=_rms_over(error, truth, kind, expectation),
        max_relative=float(shares.max()) if shares.size else None,
        max_ulp=float(ulps[measurable].max()) if measurable.any() else None,
        mean_ulp=float(ulps[measurable].mean()) if measurable.any() else None,
        worst_index=worst,
        worst_expected=float(truth[worst]),
        worst_found=float(found[worst]),
        worst_error=float(error[worst]),
        worst_allowed=float(allowed[worst]),
    )


def _rms_over(error: Numbers, truth: Numbers, kind: ElementType, expectation: Expectation) -> bool:
    """Many small errors of one kind are lost precision, even if each is within its budget."""
    believed = expectation.believed(kind)
    plain, informed = _budgets(kind)

    def over(chosen: Flags, budget: Budget) -> bool:
        limit = max(1.0, budget.tensor) * kind.eps * _rms(truth[chosen])
        if expectation.sensitivity is not None:
            limit = max(limit, budget.rms * _rms(expectation.sensitivity[chosen]))
        own = (expectation.baseline - truth)[chosen]
        limit = max(limit, budget.own_error * _rms(own))
        return _rms(error[chosen]) > limit + float(kind.ulp(np.zeros(1))[0])

    with np.errstate(all="ignore"):
        return over(believed, informed) or over(~believed, plain)


def _rms(values: Numbers) -> float:
    finite = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0
