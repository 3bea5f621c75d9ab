"""The verdict: is the candidate faster, slower, the same, or is that not known yet?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Optional

from rocm_perf_lab.errors import SamplesError, UsageError
from rocm_perf_lab.prove.judge.process_value import launches_of, low_values
from rocm_perf_lab.prove.judge.rule import DEFAULT_RULE, PROCESSES, JudgeRule
from rocm_perf_lab.prove.judge.samples import Samples
from rocm_perf_lab.prove.judge.seen import CANDIDATE, SMALLEST, Seen, Statistic, seen_in
from rocm_perf_lab.prove.judge.shift import clearly_within, shifted_tails

VerdictName = Literal["ACCEPT", "REJECT", "NO_CHANGE", "INCONCLUSIVE"]
Decided = tuple[VerdictName, str, Optional[str], Optional[int]]  # why, what is needed, more blocks

_NEAR = 2.0  # standard deviations of the scores
_AGREEING = "a confirmation on fresh blocks that agrees"
_FRESH = "the same on fresh blocks against the original baseline"


@dataclass(frozen=True)
class Verdict:
    """Ratios are times of the baseline / times of the candidate: above 1 the candidate is faster.
    `effect`, `low`, `high` and `claim` are about the sum of all launches of a process. `low` and
    `high` are infinite or 0 when so few blocks bound nothing."""

    verdict: VerdictName
    effect: float  # never above the ratio of the sums, `totals`, when the candidate is faster
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
    value: Literal["low", "whole"]  # whose low end is the smaller one: typical launch or all
    confirmed: Optional[bool]  # by fresh blocks; none when there were no such
    totals: float  # all time of the baseline / all time of the candidate, as summed
    typical: float  # of the low part of the launches: of one launch, not of the run
    later: Optional[float]  # without the first launch of every process; None: there is but one
    launches: int  # of one process

    @property
    def wants_confirmation(self) -> bool:
        """The blocks would accept it; the rule asks for fresh ones that say the same."""
        return self.needed == _FRESH


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
    seen = seen_in(samples.check(), rule.interval_miss / candidates)
    name, reason, needed, more = _decide(seen, candidates, rule)
    told, confirmed = seen, None
    if name == "ACCEPT" and confirmation is not None:
        told = seen_in(_same_kind(confirmation, samples), rule.interval_miss)
        confirmed = _confirms(told, rule)
        reason += "; " + _confirmation_text(told, confirmed)
        if not confirmed:
            name, needed = "INCONCLUSIVE", _AGREEING
    elif name == "ACCEPT" and rule.confirm:
        name, needed = "INCONCLUSIVE", _FRESH
    return _verdict(seen, told, rule, candidates, (name, reason, needed, more), confirmed)


def _verdict(
    seen: Seen,
    told: Seen,
    rule: JudgeRule,
    candidates: int,
    decided: tuple[VerdictName, str, Optional[str], Optional[int]],
    confirmed: Optional[bool],
) -> Verdict:
    """``told`` are the blocks that the claim is about: the fresh ones, if there are any."""
    name, reason, needed, more = decided
    return Verdict(
        verdict=name,
        effect=_ratio(told.effect),
        low=_rounded_down(told.low),
        high=_ratio(told.high),
        claim=_rounded_down(told.low) if name == "ACCEPT" else None,
        p=float(f"{seen.typical.p:.6g}"),
        p_slower=float(f"{seen.total.p_slower:.6g}"),
        floor=_ratio(_floor(seen, rule)),
        blocks=seen.blocks,
        outliers=seen.outliers,
        reason=reason,
        needed=needed,
        more_blocks=more,
        candidates=candidates,
        value="whole" if told.low < told.typical.shift.low else "low",
        confirmed=confirmed,
        totals=_ratio(told.sums),
        typical=_ratio(told.typical.shift.effect),
        later=None if told.later is None else _ratio(told.later),
        launches=told.launches,
    )


def _check_count(candidates: int) -> None:
    if candidates < 1:
        raise UsageError(f"{candidates} candidates: at least this one was tried")


def _least(rule: JudgeRule) -> float:
    """The gain of whole times below which there is none."""
    return max(math.log1p(rule.min_gain), SMALLEST)


def _floor(seen: Seen, rule: JudgeRule) -> float:
    return max(seen.typical.noise, _least(rule))


def _ratio(logarithm: float) -> float:
    """Six digits: what the last ones of a logarithm are depends on the machine that computes it."""
    return round(math.exp(logarithm), 6)


def _rounded_down(logarithm: float) -> float:
    return math.floor(1e6 * math.exp(logarithm)) / 1e6


def at_least(ratio: float, digits: int = 3) -> str:
    """Never rounded up: a claim is what was shown."""
    return f"{math.floor(10**digits * ratio) / 10**digits:.{digits}f}x"


def _at_most(logarithm: float) -> str:
    return f"{math.ceil(1000 * math.exp(logarithm)) / 1000:.3f}x"


def _as_told(logarithm: float) -> str:
    return f"{math.exp(logarithm):.3f}x"


def could_accept(samples: Samples, *, candidates: int = 1, rule: JudgeRule = DEFAULT_RULE) -> bool:
    """Quick, for simulations: what `judge` needs first of all in order to accept. Candidates whose
    scores are less than 2 standard deviations from average are not looked at more closely: their
    probability is of the order of 1/40, and the rule asks for less than 1/200."""
    values = low_values(samples)
    if clearly_within(values, CANDIDATE, _NEAR):
        return False
    return shifted_tails(values, CANDIDATE).low <= rule.level / candidates


def _decide(seen: Seen, candidates: int, rule: JudgeRule) -> Decided:
    least = rule.least_blocks(candidates)
    if seen.blocks < least:
        reason = f"{seen.blocks} blocks prove nothing at this level, whatever is in them"
        return "INCONCLUSIVE", reason, f"at least {least} blocks", least - seen.blocks
    share = seen.outliers / (PROCESSES * seen.blocks)
    if share > rule.most_outliers:
        reason = f"{share:.0%} of the processes are outliers: what disturbs them decides, not code"
        return "INCONCLUSIVE", reason, "a quieter device: more blocks would be as disturbed", None
    if seen.of_first_launch_only:
        return "NO_CHANGE", _first_launch_text(seen), None, None
    if _faster(seen.typical, rule.level / candidates):
        objection = _objection(seen, rule)
        if objection is not None:
            return objection
        text = f"at least {at_least(math.exp(seen.low))}, p = {seen.typical.p:.1g}"
        return "ACCEPT", text, None, None
    if _slower(seen, rule):
        text = f"slower: at most {_at_most(seen.high)}, p = {seen.total.p_slower:.1g}"
        return "REJECT", text, None, None
    typical = seen.typical.shift
    if _within(typical.low, typical.high, rule) and _within(seen.whole.low, seen.whole.high, rule):
        return "NO_CHANGE", f"less than {rule.min_gain:.1%} apart", None, None
    return ("INCONCLUSIVE", *_undecided(seen, rule))


def _faster(of: Statistic, level: float) -> bool:
    """The exact test. It alone bounds how often a no-op is accepted; all else only refuses."""
    return of.p <= level and of.shift.effect > of.noise and of.shift.low > 0


def _slower(seen: Seen, rule: JudgeRule) -> bool:
    of = seen.total
    floor = max(of.noise, _least(rule))
    return of.p_slower <= rule.alpha and -seen.effect > floor and seen.whole.high < 0


def _within(low: float, high: float, rule: JudgeRule) -> bool:
    small = math.log1p(rule.min_gain)
    return low > -small and high < small


def _objection(seen: Seen, rule: JudgeRule) -> Optional[Decided]:
    """Of whole times and of the slowest processes, against a candidate whose typical launch is
    faster."""
    launch = f"a typical launch is faster ({_as_told(seen.typical.shift.effect)}), "
    if _slower(seen, rule):
        text = f"{launch}but all launches together are slower: at most {_at_most(seen.high)}"
        return "REJECT", text, None, None
    if _within(seen.whole.low, seen.whole.high, rule):
        text = f"{launch}but all launches together are less than {rule.min_gain:.1%} apart"
        return "NO_CHANGE", text, None, None
    slow = seen.slow
    processes = f"{slow.candidate} of the candidate's {seen.blocks} processes"
    beside = f"{slow.baseline} of the baseline's {2 * seen.blocks}"
    if seen.sums <= 0:
        text = f"{launch}but in the mean of its processes it is not: {_as_told(seen.sums)}"
        if slow.candidate:
            text += f"; {processes} are far slower than the others, {beside}"
        return "INCONCLUSIVE", text, _more_or_mend(seen), seen.blocks
    if slow.of_candidate_only:
        text = f"{processes} are far slower than the others, {beside}: is it two kinds of run?"
        return "INCONCLUSIVE", text, _more_or_mend(seen), seen.blocks
    if seen.whole.low <= 0 or seen.total.shift.effect <= _least(rule):
        text = f"{launch}but that is not shown of all launches together ({_as_told(seen.effect)})"
        return "INCONCLUSIVE", text, *_more(seen, rule)
    return None


def _more_or_mend(seen: Seen) -> str:
    return (
        f"about {seen.blocks} more blocks, which show whether the device or the candidate does it"
    )


def _first_launch_text(seen: Seen) -> str:
    assert seen.later is not None
    return (
        f"the gain is that of the first launch only: {_as_told(seen.effect)} with it,"
        f" {_as_told(seen.later)} without"
    )


def _undecided(seen: Seen, rule: JudgeRule) -> tuple[str, str, int]:
    """Why not."""
    effect, small = seen.effect, math.log1p(rule.min_gain)
    if abs(effect) > small:
        reason = "it looks {} by {:.1%}, but {}".format(
            "faster" if effect > 0 else "slower",
            math.expm1(abs(effect)),
            "not above the noise of the baseline itself"
            if abs(effect) <= _floor(seen, rule)
            else "that may be chance",
        )
    else:
        reason = f"neither a gain nor the absence of one above {rule.min_gain:.1%} is shown"
    return (reason, *_more(seen, rule))


def _more(seen: Seen, rule: JudgeRule) -> tuple[str, int]:
    """About how many more blocks: the interval shrinks with the root of their number, and must
    come clear of the nearest boundary."""
    effect, small = abs(seen.effect), math.log1p(rule.min_gain)
    if effect > small:
        distance = effect - (small if effect < _floor(seen, rule) else 0.0)
    else:
        distance = small - effect
    width = (seen.high - seen.low) / 2
    if not math.isfinite(width):
        more = seen.blocks
    else:
        growth = (width / max(distance, small / 10)) ** 2
        more = max(2, math.ceil(seen.blocks * min(growth, 100.0)) - seen.blocks)
    return f"about {more} more blocks, or a quieter device", more


def _confirms(fresh: Seen, rule: JudgeRule) -> bool:
    return (
        _faster(fresh.typical, rule.confirmation_alpha)
        and fresh.outliers <= rule.most_outliers * PROCESSES * fresh.blocks
        and not fresh.of_first_launch_only
        and _objection(fresh, rule) is None
    )


def _confirmation_text(fresh: Seen, confirmed: bool) -> str:
    if confirmed:
        return f"confirmed on {fresh.blocks} fresh blocks: at least {at_least(math.exp(fresh.low))}"
    return f"not confirmed on {fresh.blocks} fresh blocks: {_as_told(fresh.effect)}"


def _same_kind(confirmation: Samples, samples: Samples) -> Samples:
    if confirmation.unit != samples.unit:
        raise UsageError(f"samples in {samples.unit}, confirmation in {confirmation.unit}")
    fresh, first = launches_of(confirmation.check()), launches_of(samples)
    if fresh != first:
        raise SamplesError(
            f"the confirmation holds {fresh} launches, the samples {first} of each process",
            "confirm with the same application and arguments",
        )
    return confirmation
