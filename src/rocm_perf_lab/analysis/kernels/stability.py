"""How much a time varies from run to run, and what that means for trusting it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, Optional

from msgspec import Struct

Classification = Literal["stable", "moderate", "unstable"]

STABLE_CV = 0.05
MODERATE_CV = 0.10


class Stability(Struct, frozen=True):
    """Spread over whole runs. With fewer than two runs there is no spread to speak of."""

    runs: int
    mean_ms: float
    stddev_ms: Optional[float]  # of the sample, n - 1
    cv: Optional[float]
    classification: Optional[Classification]


def classify(cv: float) -> Classification:
    if cv <= STABLE_CV:
        return "stable"
    return "moderate" if cv <= MODERATE_CV else "unstable"


def stability_of(samples_ms: Sequence[float]) -> Stability:
    """Summarises one time per run. Raises ValueError for no runs: there is nothing to say then."""
    if not samples_ms:
        raise ValueError("stability needs at least one run")
    runs = len(samples_ms)
    mean = math.fsum(samples_ms) / runs
    if runs < 2:
        return Stability(runs, mean, None, None, None)
    stddev = math.sqrt(math.fsum((x - mean) ** 2 for x in samples_ms) / (runs - 1))
    cv = stddev / mean if mean > 0 else None
    return Stability(runs, mean, stddev, cv, None if cv is None else classify(cv))


def advice(classification: Optional[Classification]) -> Optional[str]:
    """What to do about a spread of this class, in one sentence; None when it is fine."""
    if classification == "unstable":
        return (
            "Times differ by more than 10 % between runs: stop other work on the GPU, fix its "
            "clocks (rocm-smi --setperfdeterminism MHZ), warm up (--warmup 1) and use --runs 10."
        )
    if classification == "moderate":
        return "Times differ by 5 to 10 % between runs: use --runs 10 before comparing versions."
    return None
