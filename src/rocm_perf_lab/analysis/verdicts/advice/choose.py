"""The three pieces of advice that could gain most, over everything that applies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional

from rocm_perf_lab.analysis.verdicts.advice.bounds import fastest
from rocm_perf_lab.analysis.verdicts.advice.kernels import ROWS
from rocm_perf_lab.analysis.verdicts.advice.next_steps import COLLECTIVES, NEXT_STEPS
from rocm_perf_lab.analysis.verdicts.advice.outside import OUTSIDE, UNEXPLAINED
from rocm_perf_lab.analysis.verdicts.advice.row import (
    Advice,
    Figures,
    Row,
    applies,
    filled,
)
from rocm_perf_lab.analysis.verdicts.rules import COLLECTIVE, ONE_WAVE

MOST = 3
_LEAST_GAIN = 1.03  # what could gain less is no advice
_NEAR, _LEAST_EXPECTED = 0.6, 1.1  # of the way to each threshold, of what does not quite apply
_FAR, _LEAST_OF_FAR = 0.3, 1.01  # the same for places that nothing else takes
_LITTLE = 1.03  # expected of what applies: less is next to nothing
_ALL_OR_NOTHING = ("lanes", "workgroups", "fuse", "beside")  # what they say would not be true
FIND_OUT = "find-out"
_LAUNCHES = ("fuse", "beside")  # other launches and launching, no part of the kernel's time


def advice_outside(figures: Figures, *, unexplained: bool) -> list[Advice]:
    """For what takes time outside of kernels, by shares of the critical path."""
    if unexplained:
        return [_advice(UNEXPLAINED, figures, 1.0)]
    found: dict[str, Advice] = {}
    for row in OUTSIDE:
        if row.mend not in found and applies(row, figures, None):
            found[row.mend] = _advice(row, figures, 1.0)
    return [advice for advice in found.values() if (advice.gain or 0.0) >= _LEAST_GAIN]


def advice_for_kernel(
    label: Optional[str], figures: Figures, limiter: Optional[str], criticality: float
) -> list[Advice]:
    """What applies to the kernel, each mend once; what it gains end to end by its criticality."""
    rows: Iterable[Row] = COLLECTIVES if label == COLLECTIVE else ROWS
    found: dict[str, Advice] = {}
    for row in rows:
        if row.mend in found or not applies(row, figures, limiter):
            continue
        if filled(row, figures) is None:
            continue
        advice = _advice(row, figures, criticality)
        if advice.gain is None or advice.gain >= _LEAST_GAIN:
            found[row.mend] = advice
    return list(found.values())


def for_collective(outside: Iterable[Advice], figures: Figures) -> list[Advice]:
    """Where exchanging data limits: what is about that comes first, the rest by its gain."""
    own = advice_for_kernel(COLLECTIVE, figures, None, 0.0)
    ranked = sorted(outside, key=lambda one: (one.mend not in {a.mend for a in own}, one.order))
    said = {one.mend: one for one in ranked if one.mend in {a.mend for a in own}}
    for one in (*own, *ranked):
        said.setdefault(one.mend, one)
    return list(said.values())[:MOST]


def nearly_advised(
    label: Optional[str],
    figures: Figures,
    limiter: Optional[str],
    criticality: float,
    *,
    far: bool = False,
) -> list[Advice]:
    """For places that are left: what would apply if its numbers were a little worse, or much worse
    where it is ``far``, and is still expected to gain."""
    if label == COLLECTIVE:
        return []
    near, least = (_FAR, _LEAST_OF_FAR) if far else (_NEAR, _LEAST_EXPECTED)
    found: dict[str, Advice] = {}
    for row in ROWS:
        if row.mend in found or row.mend in _ALL_OR_NOTHING or ONE_WAVE in row.conditions:
            continue
        if applies(row, figures, limiter, near=near) and filled(row, figures) is not None:
            advice = _advice(row, figures, criticality)
            if (advice.expected or 1.0) >= least:
                found[row.mend] = advice
    return sorted(found.values(), key=lambda advice: advice.order)


def next_steps(figures: Figures) -> list[Advice]:
    rows = [row for row in NEXT_STEPS if applies(row, figures, None)]
    return [_advice(row, figures, 1.0) for row in rows if filled(row, figures) is not None]


def chosen(
    kernel: Iterable[Advice],
    outside: Iterable[Advice],
    later: Iterable[Advice],
    nearly: Iterable[Advice] = (),
) -> list[Advice]:
    """By what is expected, the most first; of equals, and where nothing is, in the rows' order.
    ``later`` fills the places that are left, each mend once. What ``nearly`` applies, or may help
    beside it, comes before what applies and gains next to nothing."""
    ordered = sorted([*kernel, *outside], key=lambda advice: advice.order)
    said = [one for one in ordered if one.expected is None or one.expected >= _LITTLE]
    for advice in (*nearly, *ordered, *later):
        if advice.mend not in {one.mend for one in said}:
            said.append(advice)
    return said[:MOST]


def _advice(row: Row, figures: Figures, criticality: float) -> Advice:
    texts = filled(row, figures)
    assert texts is not None  # applies only where its numbers are known
    bound = row.bound(fastest(figures)) if row.bound else None
    if row.bound is None or bound is None:
        return Advice(row.mend, *texts, None, None)
    # A bound holds wherever data may lie; what is expected is no more than where they seem to.
    likely = row.expected(figures) if row.expected else None
    here = [gain for gain in (likely, row.bound(figures)) if gain is not None]
    expected = min(bound, *here)
    if row in OUTSIDE or row.mend in _LAUNCHES:
        return Advice(row.mend, *texts, None, bound, expected, row.ease)
    whole = _end_to_end(bound, criticality), _end_to_end(expected, criticality)
    return Advice(row.mend, *texts, bound, *whole, row.ease)


def _end_to_end(times: float, criticality: float) -> float:
    left = 1.0 - criticality * (1.0 - 1.0 / times)
    return 1.0 / left if left > 1e-3 else 1e3
