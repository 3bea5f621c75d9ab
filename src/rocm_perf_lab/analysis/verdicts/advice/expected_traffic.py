"""What is expected of fewer bytes: from memory, through L1, or again what was there already."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.verdicts.advice.causes import (
    FROM_L1,
    NARROW,
    SPREAD,
    explained,
    faster,
    holds,
    lane_bytes,
    waiting_for_memory,
)
from rocm_perf_lab.analysis.verdicts.advice.row import Figures, number

_HALF = 0.5  # of what is there, where nothing tells how much of it is needless
_REGISTER = 4.0  # bytes of a lane
_BUSY_MEMORY = 0.6  # of its roof
_SHORT_LINE = 8.0  # in line, an eighth of the waiting: memory is what is waited for


def half_the_bytes(figures: Figures) -> Optional[float]:
    """Only of what is useful: what scattered accesses or spills move has advice of its own. Values
    that a lane loads in less than a register are hardly to be had in fewer bytes."""
    narrow = all(holds(condition, figures) for condition in NARROW)
    width = min(1.0, lane_bytes(figures) / _REGISTER) if narrow else 1.0
    if holds(SPREAD, figures):
        width /= number(figures, "spread") or 1.0
    busy = [number(figures, name) for name in ("reached_memory", "of_hbm")]
    known = [share for share in busy if share is not None]
    if known:  # far from its roof memory is not all that is waited for
        width *= min(1.0, max(known) / _BUSY_MEMORY)
    width *= _in_line(figures)
    return min(faster(_HALF * width), faster(1.0 - max(explained(figures))))


def _in_line(figures: Figures) -> float:
    """To 0 where a trace sees that hardly a wave stands in line, and all of them wait for the way:
    that takes as long for fewer bytes."""
    line, way = number(figures, "traced_line"), number(figures, "traced_way")
    if line is None or not way:
        return 1.0
    return min(1.0, _SHORT_LINE * line / (line + way))


def half_the_line(figures: Figures) -> Optional[float]:
    """It may be that of an L1 which brings again what it brought before."""
    waiting = number(figures, "traced_line")
    again = number(figures, "l1_moves") if holds(FROM_L1, figures) else None
    return None if waiting is None else faster(_HALF * max(waiting, again or 0.0))


def read_once(figures: Figures) -> Optional[float]:
    """What L1 answers is there already; half of waiting for it goes when it is kept nearer."""
    waiting, hits = waiting_for_memory(figures), number(figures, "l1_hits")
    return None if waiting is None or hits is None else faster(_HALF * waiting * hits)


def half_the_lookups(figures: Figures) -> Optional[float]:
    return faster(_HALF * (number(figures, "l1_moves") or 0.0))
