"""What may be said of accepted code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from rocm_perf_lab.optimize.gate.equality import Proof


@dataclass(frozen=True)
class Claim:
    """What may be said of the accepted code, against the program before the search."""

    kernel: str
    speedup: float
    low: Optional[float]
    application: Optional[float]
    application_low: Optional[float]
    order: int  # among the accepted ones
    proof: Proof  # that it computes the same
