"""The outcome of one proposal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional

from rocm_perf_lab.optimize.refusal import Outcome, Refusal, Stage

AttemptVerdict = Literal["accept", "no_change", "reject", "inconclusive"]

NOT_JUDGED = "a dry run judges nothing"


@dataclass(frozen=True)
class Attempt:
    """``stage`` is where it ended; an accepted proposal passed all of them."""

    kernel: str  # qualified name
    proposal: str  # its title
    stage: Stage
    verdict: AttemptVerdict
    reason: str  # a sentence
    refusal: Optional[Refusal] = None  # of a stage that refused; with the place in the source
    speedup: Optional[float] = None  # of the kernel: estimated by replay, or judged
    low: Optional[float] = None  # what may be claimed of it
    rules: tuple[str, ...] = ()
    bundle: Optional[str] = None  # the folder's name below the evidence
    compiler: str = ""  # what the compiler wrote, for a repair
    proof: Optional[str] = None  # why it computes the same, where it got so far

    @property
    def accepted(self) -> bool:
        return self.verdict == "accept"


def refused(kernel: str, title: str, refusal: Refusal, rules: tuple[str, ...] = ()) -> Attempt:
    """A candidate that is held needs a person: nothing is known to be wrong with it."""
    verdict: AttemptVerdict = "inconclusive" if refusal.outcome is Outcome.HELD else "reject"
    where = f"{refusal.location}: " if refusal.location else ""
    reason = f"{where}{refusal.reason}: {refusal.message}"
    return Attempt(kernel, title, refusal.stage, verdict, reason, refusal, rules=rules)
