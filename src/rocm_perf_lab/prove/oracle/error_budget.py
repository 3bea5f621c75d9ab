"""Numbers that should be the same: are they, and if not, is that rounding? Pure.

Reordering a sum changes its last bits. How many depends on the problem: so the budget of an element
is what the baseline itself moves when its inputs move by one unit in the last place, times some
factor, and at least a few units of the result. NaN equals only NaN, an infinity only itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np

from rocm_perf_lab.prove.oracle.element_type import Bytes, ElementType, Numbers

_WORST_OF_ALL = float("inf")


@dataclass(frozen=True)
class Budget:
    """Factors; ``eps`` is of the element's type."""

    sensitivity: float  # times what one unit of the inputs changes
    element: float  # times eps times the element itself
    tensor: float  # times eps times the largest element, for elements that are not tiny beside it
    rms: float = 32.0  # times the sensitivity over all elements
    base_error: float = 4.0  # times the baseline's own error, when a reference is there


WIDE = Budget(sensitivity=64.0, element=8.0, tensor=64.0)
# Narrow types are stored, not computed in: one rounding of the result is all that may differ.
NARROW = Budget(sensitivity=0.0, element=1.0, tensor=0.25)
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


def judge_elements(
    expectation: Expectation, found_bytes: Bytes, kind: ElementType
) -> ElementFinding:
    """Elements of a floating-point buffer. Bits that differ in NaN only are the same."""
    baseline = expectation.baseline
    truth = baseline if expectation.reference is None else expectation.reference
    found = kind.decode(found_bytes)
    with np.errstate(all="ignore"):
        same = (found == baseline) & (np.signbit(found) == np.signbit(baseline))
        same |= np.isnan(found) & np.isnan(baseline)
        error = np.abs(found - truth)
    comparable = np.isfinite(found) & np.isfinite(truth)
    error = np.where(comparable, error, np.where(same, 0.0, _WORST_OF_ALL))
    allowed = allowed_errors(expectation, kind)
    # -0 for 0 is rounding as well; what is not finite has no budget.
    over = (error > allowed) & ~same
    return _finding(truth, found, error, allowed, same, over, kind, expectation)


def allowed_errors(expectation: Expectation, kind: ElementType) -> Numbers:
    budget = WIDE if kind.is_wide else NARROW
    truth = expectation.baseline if expectation.reference is None else expectation.reference
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
        if expectation.reference is not None:
            own = np.abs(expectation.baseline - expectation.reference)
            allowed = np.maximum(allowed, budget.base_error * np.where(np.isfinite(own), own, 0.0))
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
    budget = WIDE if kind.is_wide else NARROW

    def rms(values: Numbers) -> float:
        finite = values[np.isfinite(values)]
        return float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0

    limit = max(1.0, budget.tensor) * kind.eps * rms(truth)
    if expectation.sensitivity is not None:
        limit = max(limit, budget.rms * rms(expectation.sensitivity))
    if expectation.reference is not None:
        own = expectation.baseline - expectation.reference
        limit = max(limit, budget.base_error * rms(own))
    with np.errstate(all="ignore"):
        return rms(error) > limit + float(kind.ulp(np.zeros(1))[0])
