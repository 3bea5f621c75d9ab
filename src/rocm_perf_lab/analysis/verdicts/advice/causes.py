"""Causes of lost time that have a mend of their own, and the shares that each of them explains."""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.verdicts.advice.row import Figures, number
from rocm_perf_lab.analysis.verdicts.rules import (
    LARGE_GRID,
    MOSTLY_IDLE,
    ONE_ADDRESS,
    ONE_WAVE,
    SMALL_GRID,
    Condition,
    at_least,
    below,
)

_ROUNDS = 2.0  # of workgroups, where nobody knows
_LANE_BYTES = 4.0  # of an access as most code makes it
_BARRIERS_OF_A_TILE = 2.0
FEW_ACCESSES = 6.0  # of a wave: what a loop begins with, and what it ends with

# 64 lanes of 16 bytes, the widest coalesced access, look up 16 pieces of 64 bytes.
SCATTERED = at_least("lines_per_access", 20.0)
APART = at_least("lines_per_access", 7.0)  # or wide
# Of traced accesses it is known how much a lane loads: so many times the pieces that it needs.
SPREAD = at_least("spread", 1.75)
# 64 lanes of 4 bytes or less look up four pieces of 64 bytes, and one more where they begin in
# the middle of one.
NARROW = (below("access_bytes", 3.8), below("lines_per_access", 5.5))
ONE_BY_ONE = (
    below("loads_in_flight", 1.5),
    at_least("accesses_per_wave", 32.0),
    below("rounds", 1.01),
)
IN_LINE = at_least("traced_line", 0.25)
# Loads of less than 4 bytes, what makes their addresses, and waiting for memory.
NARROW_TIME = at_least("narrow_time", 0.25)
SPILLS = at_least("scratch_accesses", 0.05)
SELECTS = at_least("time_selects", 0.15)
CONFLICTS = at_least("conflict_time", 0.15)
ATOMICS = at_least("atomic_share", 0.3)
TRACED_ATOMICS = at_least("traced_atomics", 0.3)
FEW_SLOTS = below("occupancy_limit", 0.25)
# Workgroups stand in line for registers or LDS: more room is of use.
IN_LINE_FOR_ROOM = (
    below("occupancy_limit", 0.5),
    below("unfilled", 2.0),
    at_least("rounds", 1.01),
)
DIVERGENT = below("lanes_of_filled", 0.75)
# Up to 18 us of a launch of even work passed on an idle device where it was recorded.
_IDLE_FOR_LONG = at_least("idle_us", 20.0)
UNEVEN = (LARGE_GRID, below("cus_busy", MOSTLY_IDLE), _IDLE_FOR_LONG)
# All waves begin at once, and most of them end long before the last.
UNEVEN_LIVES = (LARGE_GRID, below("lived", 0.4), at_least("outlived_us", 20.0))
TAIL = (below("round_fill", 0.7), at_least("unfilled", 1.3), _IDLE_FOR_LONG)
TRACED_TAIL = at_least("lost_tail", 0.25)
# Most of what is looked up was there already, in a loop of loads that waves wait for.
READ_AGAIN = (
    at_least("l1_hits", 0.75),
    at_least("accesses_per_wave", 32.0),
    at_least("wait_share", 0.25),
    below("lines_per_access", 20.0),
)
BUSY_LDS = at_least("lds_busy", 0.5)
# Of several waves none reads what another stored where no barrier comes between.
PRIVATE_LDS = (below("barriers_per_lds", 1e-6), at_least("workgroup_size", 65.0))
NO_CONFLICTS = below("lds_conflicts", 0.25)
DOUBLE = at_least("double_share", 0.25)
WITH_DOUBLE = at_least("double_work", 0.25)
HALF_WAVES = below("lane_fill", 0.95)
PRODUCTS = at_least("product_share", 0.4)
NARROW_PRODUCTS = at_least("time_narrow_products", 0.03)
OPERANDS = at_least("operands_per_fma", 0.06)
REUSED = below("requests_per_access", 1.0)
FROM_L1 = at_least("l1_hits", 0.5)
WAITS = at_least("wait_share", 0.25)
STAGED = 0.1  # of the time the LDS works: operands are in it already
OPERAND_UNITS = ("lds_busy", "l1_moves", "traced_vector", "traced_lds")


def holds(condition: Condition, figures: Figures) -> bool:
    value = number(figures, condition.metric)
    return value is not None and condition.holds(value)


def explained(figures: Figures) -> list[float]:
    lines = number(figures, "lines_per_access")
    limit = number(figures, "occupancy_limit")
    found = [0.0]
    if holds(SPILLS, figures):
        found.append(1.0)
    if lines is not None and SCATTERED.holds(lines):
        found.append(_apart(figures, lines))
    one_wave = holds(ONE_WAVE, figures)
    narrow = all(holds(condition, figures) for condition in NARROW)
    if narrow and not one_wave and not one_by_one(figures):
        found.append(max(0.0, 1.0 - lane_bytes(figures) / _LANE_BYTES))
    if limit is not None and (in_line_for_room(figures) or _may_be_in_line(figures)):
        found.append(1.0 - limit)
    if all(holds(condition, figures) for condition in UNEVEN):
        found.append(1.0 - (number(figures, "cus_busy") or 0.0))
    if all(holds(condition, figures) for condition in UNEVEN_LIVES):
        found.append(1.0 - (number(figures, "lived") or 0.0))
    if all(holds(condition, figures) for condition in TAIL):
        found.append(1.0 - 1.0 / (number(figures, "unfilled") or 1.0))
    if holds(TRACED_TAIL, figures):
        found.append(number(figures, "lost_tail") or 0.0)
    if not one_wave and holds(SMALL_GRID, figures):
        found.append(1.0 - (number(figures, "workgroups_per_cu") or 0.0))
    if holds(ATOMICS, figures):
        found.append(number(figures, "atomic_share") or 0.0)
    if holds(TRACED_ATOMICS, figures):
        found.append(number(figures, "traced_atomics") or 0.0)
    if holds(ONE_ADDRESS, figures) and "traced_atomics" not in figures:
        found.append(number(figures, "one_address") or 0.0)
    if holds(CONFLICTS, figures):
        found.append(number(figures, "lds_conflicts") or 0.0)
    return found


def _may_be_in_line(figures: Figures) -> bool:
    """Where few waves have room, and nobody knows that all of them run at once."""
    return holds(FEW_SLOTS, figures) and (number(figures, "rounds") or _ROUNDS) > 1.0


def in_line_for_room(figures: Figures) -> bool:
    return all(holds(condition, figures) for condition in IN_LINE_FOR_ROOM)


def one_by_one(figures: Figures) -> bool:
    """Loads of a loop, each waited for before the next, of waves that all run at once: several in
    flight bring as much for each wait as wider ones, whether neighbours in the loop lie side by
    side or not."""
    return all(holds(condition, figures) for condition in ONE_BY_ONE)


def _apart(figures: Figures, lines: float) -> float:
    """Of all stall that because lanes are no neighbours: by pieces where nobody traced."""
    pieces, stalled = 1.0 - _LANE_BYTES / lines, number(figures, "traced_stall")
    apart, vector = number(figures, "traced_apart"), number(figures, "traced_vector")
    if not stalled or vector is None:
        return pieces
    return min(1.0, vector / stalled) * pieces if apart is None else min(1.0, apart / stalled)


def held_up(figures: Figures) -> float:
    """Of the loads those that cannot be begun before a barrier. A tile has two of them, when it is
    filled and when it is free again, and the next one can be loaded before."""
    barriers = number(figures, "barriers_per_load") or 0.0
    return 1.0 - min(1.0, _BARRIERS_OF_A_TILE / barriers) if barriers else 0.0


def lane_bytes(figures: Figures) -> float:
    """That a lane gets with one access."""
    return number(figures, "access_bytes") or 0.0


def work_for(role: str, figures: Figures) -> float:
    """Of the traced time in which waves neither wait nor access memory: that for a purpose."""
    share = number(figures, f"time_{role}")
    rest = sum(number(figures, name) or 0.0 for name in ("time_rest", "time_lds"))
    return share / (1.0 - rest) if share and rest < 1.0 else 0.0


def _work_for_lds(figures: Figures) -> float:
    """Of what waves do beside waiting: accesses of the LDS, and their addresses. Untraced: one
    instruction for each, where it is busy."""
    rest = number(figures, "time_rest")
    if rest is not None and rest < 1.0:
        roles = (number(figures, name) or 0.0 for name in ("time_lds", "time_lds_addresses"))
        return sum(roles) / (1.0 - rest)
    per_instruction = number(figures, "lds_per_instruction") or 0.0
    return per_instruction if holds(BUSY_LDS, figures) else 0.0


def explained_work(figures: Figures) -> list[float]:
    """Shares of the vector work that other advice is about."""
    found = [0.0]
    if holds(DIVERGENT, figures):
        found.append(1.0 - (number(figures, "lanes_of_filled") or 0.0))
    if holds(HALF_WAVES, figures):
        found.append(1.0 - (number(figures, "lane_fill") or 0.0))
    if holds(DOUBLE, figures):
        found.append(number(figures, "double_share") or 0.0)
    if holds(WITH_DOUBLE, figures):
        found.append(number(figures, "double_work") or 0.0)
    if holds(PRODUCTS, figures) and holds(OPERANDS, figures):
        found.append(number(figures, "flop_share") or 0.0)
    if holds(SELECTS, figures):
        found.append(work_for("selects", figures))
    if holds(NARROW_PRODUCTS, figures):
        found.append(sum(work_for(role, figures) for role in ("narrow_products", "operands")))
    if all(holds(condition, figures) for condition in NARROW):
        found.append(work_for("narrow_loads", figures))
    found.append(_work_for_lds(figures))
    return [min(1.0, share) for share in found]


def faster(saved: float) -> float:
    """By a share of the time that is saved."""
    return 1.0 / max(1e-3, 1.0 - min(1.0, max(0.0, saved)))


def waiting_for_memory(figures: Figures) -> Optional[float]:
    """Of the life of a wave, for memory: from a thread trace, else all that counters call so."""
    traced = number(figures, "traced_memory")
    return number(figures, "wait_share") if traced is None else traced
