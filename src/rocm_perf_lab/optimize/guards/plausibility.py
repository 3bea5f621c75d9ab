"""G6: a time that the hardware cannot reach is wrong, and a gain that is too good is looked at.

The floor is what the compulsory work takes at the device's ceilings: every byte that the captured
dispatch needs or leaves goes through the L2 once, every floating-point operation takes its share of
the peak of its type. Work is counted on the device, never taken from what a version says about
itself. What is not known is None, and nothing is concluded from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional

from rocm_perf_lab.optimize.refusal import Outcome, Refusal, Stage

MAX_SPEEDUP = 10.0
_TOLERANCE = 0.98  # of the floor: clocks and ceilings are known to about two percent
_LEAST_WORK = 0.5  # of the counted work that a candidate must still do, before somebody looks
_UNITS = ("vector", "matrix")


@dataclass(frozen=True)
class Ceilings:
    """Of the device; nothing is concluded from one that is not known."""

    bytes_per_second: Optional[float] = None  # of the L2
    flops_per_second: Mapping[str, float] = field(default_factory=dict)  # by type: "fp32"


@dataclass(frozen=True)
class Work:
    """Of one launch; None is not known.

    ``bytes``: distinct bytes that are read before they are written, and distinct bytes written.
    ``flops`` are executed ones, of active lanes, and ``flops_by_type`` the same by type where types
    are known. ``written``: bytes that reach the L2, also those written again."""

    bytes: Optional[float] = None
    flops: Optional[float] = None
    flops_by_type: Mapping[str, float] = field(default_factory=dict)
    written: Optional[float] = None


@dataclass(frozen=True)
class Claim:
    baseline_ns: float
    candidate_ns: float
    compulsory: Work = Work()  # of the captured dispatch with the baseline's code
    baseline: Work = Work()  # counted
    candidate: Work = Work()  # counted in the same way
    highest_speedup: Optional[float] = None  # of the critical path, for a claim about the whole
    most_speedup: float = MAX_SPEEDUP  # above it somebody looks
    captured_ns: Optional[float] = None  # of the candidate's launch that the capture holds
    by_rules: bool = False  # a rule may leave operations out: which ones is known

    @property
    def speedup(self) -> float:
        return self.baseline_ns / self.candidate_ns


def ceilings_of(roofs: Mapping[str, float]) -> Ceilings:
    """From the roofs of a profile: ``l2``, ``vector.fp32``, ``matrix.fp32``, ... A version may use
    either unit, so that the faster one of each type counts."""
    flops: dict[str, float] = {}
    for name, value in roofs.items():
        unit, _, kind = name.partition(".")
        if unit in _UNITS and kind:
            flops[kind] = max(value, flops.get(kind, 0.0))
    return Ceilings(roofs.get("l2"), flops)


def floor_ns(work: Work, ceilings: Ceilings) -> Optional[float]:
    """The least time that the work takes, None when nothing of it is known."""
    times = []
    if work.bytes is not None and ceilings.bytes_per_second:
        times.append(work.bytes / ceilings.bytes_per_second)
    seconds = _compute_seconds(work, ceilings.flops_per_second)
    if seconds is not None:
        times.append(seconds)
    return max(times) * 1e9 if times else None


def _compute_seconds(work: Work, peaks: Mapping[str, float]) -> Optional[float]:
    """Operations of unknown type at the peak of the fastest one."""
    fastest = max(peaks.values(), default=0.0)
    if work.flops is None or not fastest:
        return None
    typed = {kind: flops for kind, flops in work.flops_by_type.items() if peaks.get(kind)}
    rest = max(0.0, work.flops - sum(typed.values()))
    return sum(flops / peaks[kind] for kind, flops in typed.items()) + rest / fastest


def check_plausibility(claim: Claim, ceilings: Ceilings) -> Optional[Refusal]:
    if not (claim.baseline_ns > 0 and claim.candidate_ns > 0):
        return _said(
            "no-time", f"times of {claim.baseline_ns} and {claim.candidate_ns} ns", Outcome.REFUSED
        )
    least = floor_ns(_needed(claim), ceilings)
    took = claim.candidate_ns if claim.captured_ns is None else claim.captured_ns
    if least is not None and took < _TOLERANCE * least:
        return _said(
            "below-floor",
            f"{took:.0f} ns, but its compulsory work takes {least:.0f} ns at the "
            "ceilings of the device",
            Outcome.REFUSED,
        )
    for reason, message in (*_too_fast(claim), *_too_little(claim)):
        return _said(reason, message, Outcome.HELD)
    return None


def _needed(claim: Claim) -> Work:
    """Bytes are compulsory. Operations are so only as far as the candidate executes them, too: one
    that needs fewer is no riddle of time, but one of ``_too_little``."""
    needed, own = claim.compulsory, claim.candidate
    is_less = needed.flops is not None and own.flops is not None and own.flops < needed.flops
    operations = own if is_less else needed
    return Work(needed.bytes, operations.flops, operations.flops_by_type)


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
    """Bytes written again and again need not be written, those of the result must."""
    before, now, least = claim.baseline, claim.candidate, claim.compulsory
    wanted = [
        ("distinct bytes", before.bytes, now.bytes),
        ("bytes written", _lower(before.written, least.written), now.written),
    ]
    if not claim.by_rules:
        wanted.append(("floating-point operations", before.flops, now.flops))
    return [
        ("less-work", f"{counted:.0f} {name} counted, {expected:.0f} expected")
        for name, expected, counted in wanted
        if expected and counted is not None and counted < _LEAST_WORK * expected
    ]


def _lower(one: Optional[float], other: Optional[float]) -> Optional[float]:
    known = [value for value in (one, other) if value is not None]
    return min(known, default=None)


def _said(reason: str, message: str, outcome: Outcome) -> Refusal:
    return Refusal(Stage.PLAUSIBILITY, reason, message, outcome=outcome)
