"""What is said of a kernel, or of the whole: the judge's verdicts in words of a comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, Optional

from rocm_perf_lab.prove.judge import Verdict

Word = Literal["regression", "improvement", "no change", "inconclusive", "not judged"]

REGRESSION: Final = "regression"
IMPROVEMENT: Final = "improvement"
NO_CHANGE: Final = "no change"
INCONCLUSIVE: Final = "inconclusive"
NOT_JUDGED: Final = "not judged"

_WORDS: dict[str, Word] = {
    "ACCEPT": IMPROVEMENT,
    "REJECT": REGRESSION,
    "NO_CHANGE": NO_CHANGE,
    "INCONCLUSIVE": INCONCLUSIVE,
}


@dataclass(frozen=True)
class Judgement:
    """Changes are those of the time, as a fraction: 0.05 is 5 % slower. None: not bounded."""

    word: Word
    change: Optional[float]
    low: Optional[float]
    high: Optional[float]
    p_slower: Optional[float]  # of the same program looking at least as slow
    p_faster: Optional[float]
    reason: str
    needed: Optional[str] = None
    blocks: Optional[int] = None  # that were there when it was decided


def from_verdict(verdict: Verdict) -> Judgement:
    """The judge's ratios are those of speed: above 1 is faster."""
    return Judgement(
        word=_WORDS[verdict.verdict],
        change=_change(verdict.effect),
        low=_change(verdict.high),
        high=_change(verdict.low),
        p_slower=verdict.p_slower,
        p_faster=verdict.p,
        reason=verdict.reason,
        needed=verdict.needed,
        blocks=verdict.blocks,
    )


def not_judged(reason: str, needed: Optional[str] = None) -> Judgement:
    return Judgement(NOT_JUDGED, None, None, None, None, None, reason, needed)


def only_in(side: str) -> Judgement:
    return not_judged(f"only in {side}")


def _change(speed: float) -> Optional[float]:
    return 1 / speed - 1 if speed > 0 and math.isfinite(speed) else None
