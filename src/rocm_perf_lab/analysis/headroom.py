"""How far a kernel is from the nearest thing that it cannot be faster than.

Every ceiling that its work stands under, and every unit that its instructions keep busy, gives a
share of what is possible; the largest share binds. Headroom is what is left of it: 0 at the roof.
It is the most that this work could gain. Doing less work can gain more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

_UNITS = {
    "matrix_busy": "matrix units",
    "vector_busy": "vector units",
    "lds_busy": "LDS",
}


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
    shares = {name: value for name, value in reached.items() if value > 0}
    for metric, unit in _UNITS.items():
        if metrics.get(metric, 0.0) > shares.get(unit, 0.0):
            shares[unit] = metrics[metric]
    if not shares:
        return None
    bound = max(shares, key=lambda name: (shares[name], name))
    share = min(1.0, shares[bound])
    return Headroom(1.0 - share, bound, share)


def optimisation_score(headroom: Headroom, criticality: float) -> float:
    """Which kernel to work on first: what is left to gain, times how much it matters."""
    return headroom.fraction * criticality


def application_speedup(headroom: Headroom, criticality: float) -> float:
    """End to end, if the kernel reached its ceiling and the rest took its time as before."""
    left = 1.0 - optimisation_score(headroom, criticality)
    return 1.0 / left if left > 0 else float("inf")
