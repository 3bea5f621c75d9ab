"""What changes to the exchange of values through LDS will probably gain."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.verdicts.advice.causes import CONFLICTS, faster, held_up, holds
from rocm_perf_lab.analysis.verdicts.advice.row import Figures, number

_HALF = 0.5  # of the accesses
_MOST_OF_IT = 0.75


def no_conflicts(figures: Figures) -> Optional[float]:
    """Of the time in which waves wait for the LDS, as a trace tells: while it works for one, others
    may do something else."""
    conflicts = min(1.0, number(figures, "lds_conflicts") or 0.0)
    traced = number(figures, "traced_lds")
    if traced is not None:
        return faster(traced * conflicts)
    lost = number(figures, "conflict_time") or 0.0
    return faster(max(lost, (number(figures, "wait_share") or 0.0) * conflicts))


def fewer_barriers(figures: Figures) -> Optional[float]:
    """What is begun only behind a barrier is waited for by all waves at once: that waiting goes
    with the barrier, of loads and of the LDS."""
    stalled = number(figures, "traced_barrier")
    if stalled is None:
        return None
    loads = held_up(figures) * (number(figures, "traced_memory") or 0.0)
    exchanged = min(1.0, number(figures, "barriers_per_lds") or 0.0)
    exchanged *= 1.0 - min(1.0, number(figures, "lds_conflicts") or 0.0)  # those stay
    waits = stalled + exchanged * (number(figures, "traced_lds") or 0.0)
    return faster(loads + waits * (1.0 - _serves(figures)))


def _serves(figures: Figures) -> float:
    """Of the time: the LDS works, without conflicts. Who is at a barrier meanwhile waits for it."""
    return (number(figures, "lds_busy") or 0.0) - (number(figures, "conflict_time") or 0.0)


def half_the_lds(figures: Figures) -> float:
    """Of what it works, or of what waves do and wait for it, at barriers as well."""
    traced = max(number(figures, name) or 0.0 for name in ("traced_lds", "lds_time"))
    traced += (number(figures, "traced_barrier") or 0.0) * _serves(figures)
    works = min(1.0, max(number(figures, "lds_busy") or 0.0, traced))
    lost = number(figures, "conflict_time") if holds(CONFLICTS, figures) else 0.0
    return min(faster(_HALF * works), faster(1.0 - (lost or 0.0)))  # those have their own


def in_registers(figures: Figures) -> Optional[float]:
    """All accesses of arrays that only one lane uses, and the turns of loops over them: registers
    are indexed by constants. What is merged, or moved instead, stays."""
    time, turns = number(figures, "lds_time"), number(figures, "time_control") or 0.0
    return None if time is None else faster(_MOST_OF_IT * min(1.0, time + turns))
