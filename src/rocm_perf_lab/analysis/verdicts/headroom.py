"""How far a kernel is from the nearest thing that it cannot be faster than.

Every ceiling that its work stands under, and every unit that its instructions keep busy, gives a
share of what is possible; the largest share binds. What a unit does in vain does not count: lanes
that are switched off, bank conflicts. Headroom is what is left of it: 0 at the roof. It is the
most that this work could gain. Doing less work can gain more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

_VECTOR, _MATRIX, _LDS = "vector units", "matrix units", "LDS"
_VECTOR_PIPE = "vector."  # ceilings by precision; their counters take all lanes for active


@dataclass(frozen=True)
class Headroom:
    fraction: float  # in [0, 1]
    bound: str  # the ceiling or unit that binds
    reached: float  # of it, in [0, 1]

    @property
    def kernel_speedup(self) -> float:
        """How many times faster the kernel would be at the ceiling."""
        return 1.0 / self.reached if self.reached > 0 else float("inf")


def headroom_of(reached: Mapping[str, float], metrics: Mapping[str, float]) -> Optional[Headroom]:
    """None when neither a ceiling nor a busy unit is known.

    A share above 1 is a number that cannot be right (the roofline calls it suspect); it counts as
    having reached the ceiling.
    """
    lanes = metrics.get("lanes_active", 1.0)
    shares = {
        name: value * lanes if name.startswith(_VECTOR_PIPE) else value
        for name, value in reached.items()
    }
    shares[_MATRIX] = metrics.get("matrix_busy", 0.0)
    shares[_VECTOR] = metrics.get("vector_busy", 0.0) * lanes
    shares[_LDS] = metrics.get("lds_busy", 0.0) * (1.0 - metrics.get("lds_conflicts", 0.0))
    bound = max(shares, key=lambda name: (shares[name], name))
    share = min(1.0, shares[bound])
    return Headroom(1.0 - share, bound, share) if share > 0 else None


def optimisation_score(headroom: Headroom, criticality: float) -> float:
    """Which kernel to work on first: what is left to gain, times how much it matters."""
    return headroom.fraction * criticality


def application_speedup(headroom: Headroom, criticality: float) -> float:
    """End to end, if the kernel reached its ceiling and the rest took its time as before."""
    left = 1.0 - optimisation_score(headroom, criticality)
    return 1.0 / left if left > 0 else float("inf")
