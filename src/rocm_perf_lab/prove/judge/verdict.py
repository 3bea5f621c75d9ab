"""The verdict: is the candidate faster, slower, the same, or is that not known yet?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Optional

import numpy as np

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.prove.judge.process_value import Values, low_values, whole_values
from rocm_perf_lab.prove.judge.rule import DEFAULT_RULE, PROCESSES, JudgeRule
from rocm_perf_lab.prove.judge.samples import Samples
from rocm_perf_lab.prove.judge.shift import (
    Shift,
    clearly_within,
    noise_floor,
    shift_of,
    shifted,
    shifted_tails,
)

VerdictName = Literal["ACCEPT", "REJECT", "NO_CHANGE", "INCONCLUSIVE"]

_B = 2  # the candidate's column
_UNEVEN = 0.001  # how surely a gain is one of the low part only
_OUTLIER = 3.5  # robust standard deviations
_SMALLEST = math.log1p(0.01)  # of any gain
_DUST = 1e-4  # as good as equal: effects are known to a tenth of it
_NEAR = 2.0  # standard deviations of the scores
_AGREEING = "a confirmation on fresh blocks that agrees"
_FRESH = "the same on fresh blocks against the original baseline"


@dataclass(frozen=True)
class Verdict:
    """Ratios are times of the baseline / times of the candidate: above 1 the candidate is faster.
    `low` and `high` are infinite or 0 when so few blocks bound nothing."""

    verdict: VerdictName
    effect: float
    low: float
    high: float
    claim: Optional[float]  # what may be said of an accepted candidate: the interval's low end
    p: float  # exact: of a no-op that looks at least as fast
    p_slower: float
    floor: float  # the least effect that these samples could show, as a ratio
    blocks: int
    outliers: int  # processes far above the others; none is left out
    reason: str
    needed: Optional[str]  # what more would decide it
    more_blocks: Optional[int]
    candidates: int
    value: Literal["low", "whole"]  # which part of a process' times was compared
    confirmed: Optional[bool]  # by fresh blocks; none when there were no such

    @property
    def wants_confirmation(self) -> bool:
        """The blocks would accept it; the rule asks for fresh ones that say the same."""
        return self.needed == _FRESH


@dataclass(frozen=True)
class _Look:
    """Everything that one set of blocks says."""

    shift: Shift
    p: float
    p_slower: float
    floor: float  # logarithm
    outliers: int
    value: Literal["low", "whole"]
    blocks: int


def judge(
    samples: Samples,
    *,
    candidates: int = 1,
    rule: JudgeRule = DEFAULT_RULE,
    confirmation: Optional[Samples] = None,
) -> Verdict:
    """`candidates` were tried in the whole search; `confirmation`: fresh blocks of this one and of
    the original baseline."""
    _check_count(candidates)
    look = _look(samples.check(), rule, rule.interval_miss / candidates)
    name, reason, needed, more = _decide(look, candidates, rule)
    shift, confirmed = look.shift, None
    if name == "ACCEPT" and confirmation is not None:
        fresh = _look(_same_unit(confirmation, samples), rule, rule.interval_miss)
        confirmed, shift = _confirms(fresh, rule), fresh.shift
        reason += "; " + _confirmation_text(fresh, confirmed)
        if not confirmed:
            name, needed = "INCONCLUSIVE", _AGREEING
    elif name == "ACCEPT" and rule.confirm:
        name, needed = "INCONCLUSIVE", _FRESH
    return Verdict(
        verdict=name,
        effect=_ratio(shift.effect),
        low=_ratio(shift.low),
        high=_ratio(shift.high),
        claim=_ratio(shift.low) if name == "ACCEPT" else None,
        p=float(f"{look.p:.6g}"),
        p_slower=float(f"{look.p_slower:.6g}"),
        floor=_ratio(look.floor),
        blocks=look.blocks,
        outliers=look.outliers,
        reason=reason,
        needed=needed,
        more_blocks=more,
        candidates=candidates,
        value=look.value,
        confirmed=confirmed,
    )


def _check_count(candidates: int) -> None:
    if candidates < 1:
        raise UsageError(f"{candidates} candidates: at least this one was tried")


def _ratio(logarithm: float) -> float:
    """Six digits: what the last ones of a logarithm are depends on the machine that computes it."""
    return round(math.exp(logarithm), 6)


def _at_least(logarithm: float) -> str:
    """Never rounded up: a claim is what was shown."""
    return f"{math.floor(1000 * math.exp(logarithm)) / 1000:.3f}x"


def _at_most(logarithm: float) -> str:
    return f"{math.ceil(1000 * math.exp(logarithm)) / 1000:.3f}x"


def could_accept(samples: Samples, *, candidates: int = 1, rule: JudgeRule = DEFAULT_RULE) -> bool:
    """Quick, for simulations: what `judge` needs first of all in order to accept. Candidates whose
    scores are less than 2 standard deviations from average are not looked at more closely: their
    probability is of the order of 1/40, and the rule asks for less than 1/200."""
    if all(clearly_within(v(samples), _B, _NEAR) for v in (low_values, whole_values)):
        return False
    values, _ = _values(samples)
    return shifted_tails(values, _B).low <= rule.level / candidates


def _values(samples: Samples) -> tuple[Values, Literal["low", "whole"]]:
    """The low part of the times; the whole of them when the candidate gains in the low part only.

    A candidate whose fastest launches are faster, but whose others are not, has more above its low
    part than the baseline has. Then the smaller gain of the whole counts."""
    low, whole = low_values(samples), whole_values(samples)
    if shifted_tails(whole - low, _B).high < _UNEVEN:
        return whole, "whole"
    return low, "low"


def _look(samples: Samples, rule: JudgeRule, miss: float) -> _Look:
    values, value = _values(samples)
    by_chance = shifted_tails(values, _B)
    floor = max(math.log1p(rule.min_gain), _SMALLEST, noise_floor(values[:, :_B]))
    shift = shift_of(values, _B, miss / 2)
    return _Look(
        shift=shift,
        p=by_chance.low,
        p_slower=by_chance.high,
        floor=floor,
        outliers=_outliers(shifted(values, _B, shift.effect)),
        value=value,
        blocks=len(samples.blocks),
    )


def _outliers(values: Values) -> int:
    """Processes that are far above their block's fastest, in units of what the faster half of all
    processes scatters, and by more than could matter. One-sided, as the noise is; the candidate's
    effect was taken out before."""
    above = values - values.min(axis=1)[:, None]
    positive = above[above > _DUST]
    if positive.size == 0:
        return 0
    scale = float(np.quantile(positive, 0.25)) / 0.3186  # of a half-normal variable
    return int((above > max(_OUTLIER * scale, _SMALLEST)).sum())


def _decide(
    look: _Look, candidates: int, rule: JudgeRule
) -> tuple[VerdictName, str, Optional[str], Optional[int]]:
    shift, least = look.shift, rule.least_blocks(candidates)
    small = math.log1p(rule.min_gain)
    if look.blocks < least:
        reason = f"{look.blocks} blocks prove nothing at this level, whatever is in them"
        return "INCONCLUSIVE", reason, f"at least {least} blocks", least - look.blocks
    share = look.outliers / (PROCESSES * look.blocks)
    if share > rule.most_outliers:
        reason = f"{share:.0%} of the processes are outliers: what disturbs them decides, not code"
        return "INCONCLUSIVE", reason, "a quieter device: more blocks would be as disturbed", None
    if look.p <= rule.level / candidates and shift.effect > look.floor and shift.low > 0:
        text = f"at least {_at_least(shift.low)}, p = {look.p:.1g}"
        return "ACCEPT", text, None, None
    if look.p_slower <= rule.alpha and -shift.effect > look.floor and shift.high < 0:
        text = f"slower: at most {_at_most(shift.high)}, p = {look.p_slower:.1g}"
        return "REJECT", text, None, None
    if shift.low > -small and shift.high < small:
        return "NO_CHANGE", f"less than {rule.min_gain:.1%} apart", None, None
    return ("INCONCLUSIVE", *_undecided(look, rule))


def _undecided(look: _Look, rule: JudgeRule) -> tuple[str, str, int]:
    """Why not, and about how many more blocks: the interval shrinks with the root of their number,
    and must come clear of the nearest boundary."""
    shift = look.shift
    small = math.log1p(rule.min_gain)
    if abs(shift.effect) > small:
        reason = "it looks {} by {:.1%}, but {}".format(
            "faster" if shift.effect > 0 else "slower",
            math.expm1(abs(shift.effect)),
            "not above the noise of the baseline itself"
            if abs(shift.effect) <= look.floor
            else "that may be chance",
        )
        distance = abs(shift.effect) - (small if abs(shift.effect) < look.floor else 0.0)
    else:
        reason = f"neither a gain nor the absence of one above {rule.min_gain:.1%} is shown"
        distance = small - abs(shift.effect)
    width = (shift.high - shift.low) / 2
    if not math.isfinite(width):
        more = look.blocks
    else:
        growth = (width / max(distance, small / 10)) ** 2
        more = max(2, math.ceil(look.blocks * min(growth, 100.0)) - look.blocks)
    return reason, f"about {more} more blocks, or a quieter device", more


def _confirms(fresh: _Look, rule: JudgeRule) -> bool:
    return (
        fresh.p <= rule.confirmation_alpha
        and fresh.outliers <= rule.most_outliers * PROCESSES * fresh.blocks
        and fresh.shift.effect > fresh.floor
        and fresh.shift.low > 0
    )


def _confirmation_text(fresh: _Look, confirmed: bool) -> str:
    if confirmed:
        return f"confirmed on {fresh.blocks} fresh blocks: at least {_at_least(fresh.shift.low)}"
    return f"not confirmed on {fresh.blocks} fresh blocks: {math.exp(fresh.shift.effect):.3f}x"


def _same_unit(confirmation: Samples, samples: Samples) -> Samples:
    if confirmation.unit != samples.unit:
        raise UsageError(f"samples in {samples.unit}, confirmation in {confirmation.unit}")
    return confirmation.check()
