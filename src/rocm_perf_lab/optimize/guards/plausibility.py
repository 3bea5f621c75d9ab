"""G6: a time that the hardware cannot reach is wrong, and a gain that is too good is looked at.

The floor is what the compulsory work takes at the device's ceilings: bytes that have to be read or
written at least once over its bandwidth, operations over its rate. It is computed from the
baseline's captured or counted work, never from what the candidate says about itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.optimize.refusal import Outcome, Refusal, Stage

MAX_SPEEDUP = 10.0
_TOLERANCE = 0.98  # of the floor: clocks and ceilings are known to about two percent
_LEAST_WORK = 0.5  # of the counted work that a candidate must still do, before somebody looks


@dataclass(frozen=True)
class Ceilings:
    """Of the device; None where it is not known, and then nothing is concluded from it."""

    bytes_per_second: Optional[float] = None
    flops_per_second: Optional[float] = None


@dataclass(frozen=True)
class Work:
    """Per launch. Compulsory for the baseline, counted for a version; None is not known."""

    bytes: Optional[float] = None
    flops: Optional[float] = None


@dataclass(frozen=True)
class Claim:
    baseline_ns: float
    candidate_ns: float
    compulsory: Work = Work()
    baseline: Work = Work()  # counted
    candidate: Work = Work()  # counted
    highest_speedup: Optional[float] = None  # of the critical path, for a claim about the whole
    most_speedup: float = MAX_SPEEDUP  # above it somebody looks

    @property
    def speedup(self) -> float:
        return self.baseline_ns / self.candidate_ns


def floor_ns(work: Work, ceilings: Ceilings) -> Optional[float]:
    """The least time that the work takes, None when nothing of it is known."""
    times = [
        amount / rate * 1e9
        for amount, rate in (
            (work.bytes, ceilings.bytes_per_second),
            (work.flops, ceilings.flops_per_second),
        )
        if amount is not None and rate
    ]
    return max(times, default=None)


def check_plausibility(claim: Claim, ceilings: Ceilings) -> Optional[Refusal]:
    if not (claim.baseline_ns > 0 and claim.candidate_ns > 0):
        return _said(
            "no-time", f"times of {claim.baseline_ns} and {claim.candidate_ns} ns", Outcome.REFUSED
        )
    least = floor_ns(claim.compulsory, ceilings)
    if least is not None and claim.candidate_ns < _TOLERANCE * least:
        return _said(
            "below-floor",
            f"{claim.candidate_ns:.0f} ns, but its compulsory work takes {least:.0f} ns at the "
            "ceilings of the device",
            Outcome.REFUSED,
        )
    for reason, message in (*_too_fast(claim), *_too_little(claim)):
        return _said(reason, message, Outcome.HELD)
    return None


def _too_fast(claim: Claim) -> list[tuple[str, str]]:
    found = []
    most = claim.most_speedup
    if claim.speedup > most:
        found.append(("too-fast", f"{claim.speedup:.1f} times faster, over {most:g} times"))
    if claim.highest_speedup is not None and claim.speedup > claim.highest_speedup:
        found.append(
            (
                "above-ceiling",
                f"{claim.speedup:.2f} times faster, but the critical path allows "
                f"{claim.highest_speedup:.2f} times",
            )
        )
    return found


def _too_little(claim: Claim) -> list[tuple[str, str]]:
    found = []
    for name, before, now in (
        ("bytes", claim.baseline.bytes, claim.candidate.bytes),
        ("operations", claim.baseline.flops, claim.candidate.flops),
    ):
        least = claim.compulsory.bytes if name == "bytes" else claim.compulsory.flops
        wanted = before if least is None else min(least, before or least)
        if wanted and now is not None and now < _LEAST_WORK * wanted:
            found.append(("less-work", f"{now:.0f} {name} counted, {wanted:.0f} expected"))
    return found


def _said(reason: str, message: str, outcome: Outcome) -> Refusal:
    return Refusal(Stage.PLAUSIBILITY, reason, message, outcome=outcome)
