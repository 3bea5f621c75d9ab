"""Numbers that should be the same: are they, and if not, is that rounding? Pure.

Another order of a sum, or a product that is fused with it, changes the last bits of the terms and
partial sums; where these cancel, that is much of the result. So the budget of an element is what
rounding of the baseline's own operations moves it by (sharpness.py), times a factor, and some units
in its last place. NaN equals only NaN, an infinity only itself.

The factor, fixed by analysis before any kernel was judged with it. Let S be the root of the sum of
squares of what one unit in the last place of each intermediate result changes in the element.
Rounding to nearest is off by 0.29 units (root mean square), so baseline and candidate together by
0.41 S. A run with random roundings moves each inexact operation by one unit or not at all, and the
element by 0.71 S (root mean square). That the largest of 12 such movements is less than x S has a
probability of about (1.6 x)^12. Then 8 times the largest is exceeded by 0.41 S times a normal
variate in 3e-10 of all elements: once in three thousand buffers of a million elements. Where
roundings are not independent (the same number added again and again), they all have the same sign,
and so have the movements: their mean is what rounding each time by half a unit that way gives, and
the baseline is off by no more.

A candidate whose partial sums are larger than the baseline's (one long sum instead of a tree) is
off by more: 8 leaves room for about 12 S, which is a sum one after the other of about 1000 terms of
one sign against a tree.

With a reference of higher precision only the candidate's own error counts, and half the factor is
enough. Beside that it may be off by some times the baseline's error, but never as much as one
precision lower is. What is within that budget of the baseline itself is right as well. Elements of
which the reference says something quite else than the baseline are not rounded but computed in
another way: there it is not believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np
from numpy.typing import NDArray

from rocm_perf_lab.prove.oracle.numbers.element_type import Bytes, ElementType, Numbers

Flags = NDArray[np.bool_]
_WORST_OF_ALL = float("inf")


@dataclass(frozen=True)
class Budget:
    moved: float  # times what rounding moves the element by
    units: float  # times the element's unit in the last place
    own_error: float = 0.0  # times the baseline's own error, which only a reference tells


# Two units: the last rounding of either, where by chance no run moved it.
ROUNDED = Budget(moved=8.0, units=2.0)
ROUNDED_BY_REFERENCE = Budget(moved=4.0, units=2.0, own_error=4.0)
# Only the inputs moved: partial sums did not, which in a sum of some hundred terms of one sign are
# some tens of units of the result.
INPUTS_MOVED = Budget(moved=64.0, units=64.0)
INPUTS_MOVED_BY_REFERENCE = Budget(moved=16.0, units=16.0, own_error=4.0)
_NARROW_OWN_ERROR = 1.0  # narrow types are stored, not computed in: one rounding is all
_MOST_OWN = 0.25  # of the next lower precision's eps; rounding to it is off by up to a half


@dataclass(frozen=True)
class ElementFinding:
    different: int
    over_budget: int
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
        return not self.over_budget


@dataclass(frozen=True)
class Expectation:
    """What an element should be, and what is known about how sharply."""

    baseline: Numbers
    moved: Optional[Numbers] = None  # how far rounding moves the baseline
    reference: Optional[Numbers] = None  # of higher precision
    rounded: bool = True  # the baseline's operations were rounded otherwise, not the inputs alone

    def budget(self, by_reference: bool) -> Budget:
        if self.rounded:
            return ROUNDED_BY_REFERENCE if by_reference else ROUNDED
        return INPUTS_MOVED_BY_REFERENCE if by_reference else INPUTS_MOVED

    def believed(self, kind: ElementType) -> Flags:
        """Where the reference counts: the baseline is off by rounding at most, which is less than
        one precision lower would be. What is not finite in either is the baseline's to say."""
        if self.reference is None:
            return np.zeros(self.baseline.shape, dtype=np.bool_)
        finite = np.isfinite(self.baseline) & np.isfinite(self.reference)
        with np.errstate(all="ignore"):
            own = np.abs(self.baseline - self.reference)
            lower = kind.lower_eps * np.abs(self.reference)
            return finite & (own <= np.maximum(lower, self.allowed(self.baseline, kind, False)))

    def allowed(self, truth: Numbers, kind: ElementType, by_reference: bool) -> Numbers:
        """By rounding alone."""
        budget = self.budget(by_reference)
        moved = np.zeros(truth.shape) if self.moved is None else self.moved
        unit = np.where(np.isfinite(truth), kind.ulp(truth), 0.0)
        if kind.is_wide:
            return np.asarray(budget.moved * moved + budget.units * unit)
        # Stored in fewer bits than it is computed in: the last rounding alone moves it by a unit.
        return np.asarray(budget.moved * np.maximum(moved - unit, 0.0) + unit)

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
    return _finding(truth, found, error, allowed, same, over, kind)


def allowed_errors(expectation: Expectation, kind: ElementType) -> Numbers:
    """From the truth."""
    truth, believed = expectation.truth(kind), expectation.believed(kind)
    by_reference = np.maximum(
        expectation.allowed(truth, kind, True), _own_errors(expectation, truth, believed, kind)
    )
    return np.where(believed, by_reference, expectation.allowed(truth, kind, False))


def _own_errors(
    expectation: Expectation, truth: Numbers, believed: Flags, kind: ElementType
) -> Numbers:
    """Times what the baseline itself is off by."""
    factor = expectation.budget(True).own_error if kind.is_wide else _NARROW_OWN_ERROR
    with np.errstate(all="ignore"):
        own = np.where(believed, np.abs(expectation.baseline - truth), 0.0)
        most = np.where(believed, _MOST_OWN * kind.lower_eps * np.abs(truth), 0.0)
        return np.asarray(np.minimum(factor * own, most))


def _or_near_baseline(
    expectation: Expectation, found: Numbers, error: Numbers, allowed: Numbers, kind: ElementType
) -> Numbers:
    """A candidate that does as the baseline does is as right, however wrong that is."""
    with np.errstate(all="ignore"):
        distance = np.abs(found - expectation.baseline)
    near = distance <= expectation.allowed(expectation.baseline, kind, True)
    return np.where(near & np.isfinite(error), np.maximum(allowed, error), allowed)


def _finding(
    truth: Numbers,
    found: Numbers,
    error: Numbers,
    allowed: Numbers,
    same: np.ndarray,
    over: np.ndarray,
    kind: ElementType,
) -> ElementFinding:
    different = int(np.count_nonzero(~same))
    if not different:
        return ElementFinding(0, 0, 0.0, 0.0, 0.0, None, 0.0, 0.0, 0.0, 0.0)
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
        max_relative=float(shares.max()) if shares.size else None,
        max_ulp=float(ulps[measurable].max()) if measurable.any() else None,
        mean_ulp=float(ulps[measurable].mean()) if measurable.any() else None,
        worst_index=worst,
        worst_expected=float(truth[worst]),
        worst_found=float(found[worst]),
        worst_error=float(error[worst]),
        worst_allowed=float(allowed[worst]),
    )
