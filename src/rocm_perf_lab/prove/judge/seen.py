"""Everything that one set of blocks says, before anything is decided from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

import numpy as np
import numpy.typing as npt

from rocm_perf_lab.prove.judge.permutation import tails
from rocm_perf_lab.prove.judge.process_value import (
    Values,
    launches_of,
    low_values,
    ratio_of_sums,
    total_values,
    without_first_launch,
)
from rocm_perf_lab.prove.judge.rule import PROCESSES
from rocm_perf_lab.prove.judge.samples import Samples
from rocm_perf_lab.prove.judge.shift import (
    Shift,
    centre_of,
    noise_floor,
    shift_of,
    shifted,
    shifted_tails,
)

CANDIDATE = 2  # its column
SMALLEST = math.log1p(0.01)  # of any gain
_OUTLIER = 3.5  # robust standard deviations
_FINEST = 1e-9  # a logarithm of times that are equal but for rounding
_BY_PARTS = 0.1  # of what may be missed: the share of typical launch and rest
_DUST = 1e-4  # as good as equal: effects are known to a tenth of it
_TAIL = 0.05  # how improbable slow processes of the candidate are, if the device made them


@dataclass(frozen=True)
class Statistic:
    """Of one number per process. Logarithms of time ratios, baseline / candidate."""

    shift: Shift
    p: float  # exact: of a no-op that looks at least as fast
    p_slower: float
    noise: float  # the least effect that the noise of the baseline lets through


@dataclass(frozen=True)
class Slow:
    """Processes far above the others by their total, after the gain was taken out."""

    candidate: int
    baseline: int  # of twice as many
    p: float  # exact: of so many or more among the candidate's if the device makes them

    @property
    def of_candidate_only(self) -> bool:
        """Two kinds of processes where the baseline has one, or too many of the slow kind."""
        return self.candidate > 1 and (self.baseline == 0 or self.p <= _TAIL)


@dataclass(frozen=True)
class Seen:
    typical: Statistic  # of the low part of the launches
    total: Statistic  # of their sum
    whole: Shift  # of their sum: its own, or a typical launch and what the rest adds to it
    sums: float  # of all time of the baseline / all time of the candidate: the mean of processes
    later: Optional[float]  # what is left of the gain without first launches; None: there is one
    outliers: int  # processes far above the others by their low part
    slow: Slow
    blocks: int
    launches: int

    @property
    def effect(self) -> float:
        """Of whole times: over processes as ranks see it, and as their sums do. Ranks do not see
        how slow the slowest are, one disturbed process moves a sum: what both show counts."""
        ranked = self.total.shift.effect
        if ranked * self.sums <= 0:
            return 0.0
        return min(ranked, self.sums, key=abs)

    @property
    def low(self) -> float:
        return min(self.typical.shift.low, self.whole.low, self.effect)

    @property
    def high(self) -> float:
        return max(self.whole.high, self.effect)

    @property
    def of_first_launch_only(self) -> bool:
        """Whole times gain, and nothing is left of it when the first launches are left out."""
        gain = self.total.shift.effect
        if self.later is None or self.whole.low <= 0 or gain <= SMALLEST:
            return False
        return self.later <= SMALLEST and self.later < gain / 2


def seen_in(samples: Samples, miss: float) -> Seen:
    """`miss` is the probability that an interval misses the truth, both sides together."""
    low, totals = low_values(samples), total_values(samples)
    launches = launches_of(samples)
    typical = _statistic(low, miss)
    total = typical if launches == 1 else _statistic(totals, miss)
    return Seen(
        typical=typical,
        total=total,
        whole=_whole(low, totals, miss, typical.shift, total.shift),
        sums=ratio_of_sums(totals),
        later=_later(samples),
        outliers=int(_far_above(shifted(low, CANDIDATE, typical.shift.effect)).sum()),
        slow=_slow(shifted(totals, CANDIDATE, total.shift.effect)),
        blocks=len(samples.blocks),
        launches=launches,
    )


def _whole(low: Values, totals: Values, miss: float, typical: Shift, own: Shift) -> Shift:
    """The nearer ends of two intervals: of the total as it is, and of a typical launch with what
    the rest of the launches adds to it. The noise of a process is in both, and not in the rest.
    They share `miss`, so that together they miss no more often than that. The first has nearly all
    of it, as the second is either much nearer or of no use. Blocks that are too few for any end of
    the second leave all of it to the first: their number says so, not what was measured. Where all
    launches of a process take the same time, there is one interval only."""
    if np.ptp(totals - low) < _FINEST:
        return typical
    each = miss / 2 * _BY_PARTS / 2  # on each side, of the typical launch and of the rest
    if float(PROCESSES) ** -len(totals) > each:
        return own
    own = shift_of(totals, CANDIDATE, miss / 2 * (1 - _BY_PARTS))
    launch = shift_of(low, CANDIDATE, each)
    rest = shift_of(totals - low, CANDIDATE, each)
    return Shift(
        own.effect, max(own.low, launch.low + rest.low), min(own.high, launch.high + rest.high)
    )


def _statistic(values: Values, miss: float) -> Statistic:
    by_chance = shifted_tails(values, CANDIDATE)
    return Statistic(
        shift=shift_of(values, CANDIDATE, miss / 2),
        p=by_chance.low,
        p_slower=by_chance.high,
        noise=noise_floor(values[:, :CANDIDATE]),
    )


def _later(samples: Samples) -> Optional[float]:
    """The smaller gain of a typical launch and of all launches, without the first ones."""
    if launches_of(samples) == 1:
        return None
    rest = without_first_launch(samples)
    return min(centre_of(values(rest), CANDIDATE) for values in (low_values, total_values))


def _slow(totals: Values) -> Slow:
    far = _far_above(totals)
    return Slow(
        candidate=int(far[:, CANDIDATE].sum()),
        baseline=int(far[:, :CANDIDATE].sum()),
        p=tails(far.astype(np.int64), CANDIDATE).high,
    )


def _far_above(values: Values) -> npt.NDArray[np.bool_]:
    """Processes that are far above their block's fastest, in units of what the faster half of all
    processes scatters, and by more than could matter. One-sided, as the noise is; the candidate's
    effect was taken out before."""
    above = values - values.min(axis=1)[:, None]
    positive = above[above > _DUST]
    if positive.size == 0:
        return np.zeros(values.shape, dtype=np.bool_)
    scale = float(np.quantile(positive, 0.25)) / 0.3186  # of a half-normal variable
    return np.asarray(above > max(_OUTLIER * scale, SMALLEST))
