"""What is expected of other launches: more workgroups, fewer launches, or some at a time."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.verdicts.advice.causes import FEW_ACCESSES, faster
from rocm_perf_lab.analysis.verdicts.advice.row import Figures, number
from rocm_perf_lab.analysis.verdicts.rules import SMALL_GRID

# As probable has the problem no more work-items where all kernels are small, not one of them.
_AS_MANY = 0.5
_LEAST_US = 1.0  # that any launch with work takes besides: arguments, a load, a store


def filled_device(figures: Figures) -> Optional[float]:
    """As many compute units as make a grid large get as much as the others have now, and as many of
    their SIMDs where a workgroup has fewer waves; launching, and the way to the data and back, are
    not shared."""
    grid, time = number(figures, "workgroups_per_cu"), number(figures, "mean_time")
    if not grid:
        return None
    waves, groups = number(figures, "waves"), number(figures, "workgroups")
    if waves and groups:
        grid *= min(1.0, waves / groups / (number(figures, "simds") or 1.0))
    floor = number(figures, "launch_floor") or 0.0
    least = 0.0 if not time else _LEAST_US / time
    left = min(1.0, floor + max(least, (1.0 - floor) * grid / SMALL_GRID.threshold))
    gain = faster((1.0 - left) * (1.0 - _AS_MANY * (number(figures, "small_others") or 0.0)))
    return min(gain, _spread(figures)) if _is_recurrence(figures) else gain


def _is_recurrence(figures: Figures) -> bool:
    """Several small launches of a loop that loads nothing: each step needs the one before, or the
    launches would not be small. A single one may as well draw numbers, in any number of parts."""
    alike, accesses = number(figures, "alike"), number(figures, "accesses_per_wave")
    return bool(alike and alike > 1.0 and accesses is not None and accesses < FEW_ACCESSES)


def _spread(figures: Figures) -> float:
    """Waves of a workgroup on compute units of their own: of use where they share a SIMD."""
    waves, groups = number(figures, "waves"), number(figures, "workgroups")
    simds = number(figures, "simds")
    return max(1.0, waves / groups / simds) if waves and groups and simds else 1.0


def fused(figures: Figures) -> Optional[float]:
    """As steps of one thing, or as parts of the work that need not stand in line."""
    return _most(figures, "fused_likely", "batched_likely")


def beside(figures: Figures) -> Optional[float]:
    """With the others that leave room in the same queue, where that is more."""
    return _most(figures, "beside_likely", "unlike_likely")


def _most(figures: Figures, *names: str) -> Optional[float]:
    known = [number(figures, name) for name in names]
    return max((gain for gain in known if gain is not None), default=None)


def unlike_beside(figures: Figures) -> Optional[float]:
    return number(figures, "unlike_likely")
