"""What is expected of lanes that are switched on: units work for those that do nothing as well."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.verdicts.advice.causes import faster
from rocm_perf_lab.analysis.verdicts.advice.row import Figures, number

_FOR_LANES = ("vector_busy", "lds_busy")  # units that do as much for a lane that is switched off


def same_way(figures: Figures) -> Optional[float]:
    return _without_idle_lanes(figures, "lanes_of_filled")


def full_waves(figures: Figures) -> Optional[float]:
    return _without_idle_lanes(figures, "lane_fill")


def _without_idle_lanes(figures: Figures, lanes: str) -> Optional[float]:
    """Only of the time in which units work: waves wait as long with all lanes switched on, and the
    longest loop of all is as long."""
    used = number(figures, lanes)
    works = max(number(figures, name) or 0.0 for name in _FOR_LANES)
    return None if not used else faster(works * (1.0 - used))
