"""How much a change could gain at most, as a bound on how many times faster the kernel gets.

Every unit that works, and every roof that is near, keeps its share of the time whatever else is
changed; what a change takes away is bounded by the rest. Changes that hide waiting cannot be faster
than the units are busy now. Changes that take waste away (spilled registers, scattered accesses,
bank conflicts, lanes that are switched off) leave what is useful, and take along what goes with it.
That a loss has a cause with advice of its own makes no bound smaller: it lowers what is expected.
"""

from __future__ import annotations

from typing import Optional

from rocm_perf_lab.analysis.verdicts.advice.causes import (
    DOUBLE,
    OPERAND_UNITS,
    holds,
    lane_bytes,
)
from rocm_perf_lab.analysis.verdicts.advice.row import Figures, number

VECTOR, MATRIX, LDS, MEMORY, LAUNCHING = "vector", "matrix", "lds", "memory", "launching"
L1 = "l1"
_MEMORY = ("memory_reached", "memory_of_measured")
_ACCESSES, _LDS_ACCESSES = "accesses_per_instruction", "lds_per_instruction"
_ADDRESSING = 8.0  # vector instructions for an access at most: address, bounds, the loop's share
_WIDEST = 16.0  # bytes per lane of one access
_REGISTER = 4.0  # bytes of a lane
_WAYS = 2.0  # of a branch: waves wait in each of them
_BRANCHING = 0.25  # of the work, at most: masks, jumps and comparisons that choose the way
_STAYS = 0.5  # of vector work that is no floating point, at least, whatever else is changed
_MOST = 1000.0  # beyond that a bound says nothing


def shares(figures: Figures) -> dict[str, float]:
    """Of the time that each unit or roof would keep for what it does now; known ones only."""
    memory = [number(figures, name) for name in _MEMORY]
    known = {
        VECTOR: number(figures, "vector_busy"),
        MATRIX: number(figures, "matrix_busy"),
        LDS: number(figures, "lds_busy"),
        L1: number(figures, "l1_moves"),
        LAUNCHING: number(figures, "launch_floor"),
        MEMORY: max((value for value in memory if value is not None), default=None),
    }
    return {name: value for name, value in known.items() if value is not None}


def fastest(figures: Figures) -> Figures:
    """With data where they are fastest: in Infinity Cache, if they fit. A roof that they may not
    stand under bounds nothing."""
    least = number(figures, "memory_least")
    now = [name for name in _MEMORY if name in figures]
    return figures if least is None else {**figures, **dict.fromkeys(now, least)}


def stays(figures: Figures) -> float:
    """Of vector work: addresses, moves and loops are others when code is written anew."""
    return max(_STAYS, min(1.0, number(figures, "flop_share") or 0.0))


def _at_most(kept: float) -> float:
    return 1.0 / max(kept, 1.0 / _MOST)


def _without(
    figures: Figures, *units: str, plus: float = 0.0, packed: bool = False
) -> Optional[float]:
    """What others keep when the work of ``units`` is gone; ``plus`` is what is left of it.
    ``packed``: two operations of FP32 may become one instruction."""
    known = shares(figures)
    if not known.keys() - {LAUNCHING}:
        return None
    if VECTOR in known:
        known[VECTOR] *= _STAYS if packed and not holds(DOUBLE, figures) else stays(figures)
    left = [share for name, share in known.items() if name not in units]
    return _at_most(max([*left, plus]))


def work_left(figures: Figures, accesses: str = _ACCESSES) -> float:
    """Of the time that vector units work, without what makes addresses for loads and stores."""
    busy = number(figures, "vector_busy") or 0.0
    addressing = _ADDRESSING * (number(figures, accesses) or 0.0)
    return busy * (1.0 - min(addressing, 1.0 - (number(figures, "flop_share") or 0.0)))


def _least(*bounds: Optional[float]) -> Optional[float]:
    known = [bound for bound in bounds if bound is not None]
    return min(known) if known else None


def hide_waiting(figures: Figures) -> Optional[float]:
    """All of it, whatever its cause; and loops that are unrolled have fewer instructions."""
    waits = number(figures, "wait_share")
    if waits is None:
        return None
    works = min(1.0 - waits, _issued(figures))  # a trace sees waiting that no counter calls so
    return _least(_without(figures), _at_most(works * stays(figures)))


def _issued(figures: Figures) -> float:
    """Of the time of traced waves that in which they do neither stall nor idle."""
    lost = (number(figures, name) or 0.0 for name in ("traced_stall", "traced_idle"))
    return max(0.0, 1.0 - sum(lost))


def hide_dependence(figures: Figures) -> Optional[float]:
    """Steps that do not need each other can be packed: two of them in an instruction."""
    return _without(figures, LDS, L1, packed=True, plus=_half_looked_up(figures))


def more_waves(figures: Figures) -> Optional[float]:
    """Registers or LDS leave room for few: with all slots filled so many more could work, and each
    without what it does for what was kept there."""
    limit = number(figures, "occupancy_limit")
    slots = None if not limit else _at_most(limit * (1.0 - _kept_work(figures)))
    return _least(_without(figures, LDS), slots)


def _kept_work(figures: Figures) -> float:
    """Of the life of a wave, at most, for values that need less room or none: accesses of LDS,
    vector work, and waiting for what was loaded into registers to be kept there."""
    stalled, waits = number(figures, "traced_stall"), number(figures, "wait_share") or 0.0
    lds = number(figures, "lds_busy" if stalled is None else "traced_lds") or 0.0
    works = 1.0 - (waits if stalled is None else stalled)
    accesses, registers = number(figures, "accesses_per_wave"), number(figures, "vgpr") or 0.0
    loaded = waits * min(1.0, registers / accesses) if accesses else 0.0
    return min(1.0 - _STAYS, lds + works * (1.0 - stays(figures)) + loaded)


def more_workgroups(figures: Figures) -> Optional[float]:
    filled, limit = number(figures, "occupancy"), _finest_limit(figures)
    grid = number(figures, "workgroups_per_cu")
    more = None if not filled else _at_most(filled / (limit or 1.0))
    alone = None if not grid else _at_most(grid)
    return _least(_without(figures), more if more is not None else alone)


def coalesced(figures: Figures) -> Optional[float]:
    """Of single bytes 64 lanes are one piece, of two bytes two."""
    lines = number(figures, "lines_per_access")
    size = min(2.0, max(1.0, lane_bytes(figures)))
    return _least(_without(figures, MEMORY, L1), None if not lines else lines / size)


def wider(figures: Figures) -> Optional[float]:
    """Of waiting, of traffic and of addresses: 16 bytes instead of what a lane loads now. Values
    of less than a register can be worked on together."""
    together = min(1.0, max(1.0, lane_bytes(figures)) / _REGISTER)
    kept = _without(figures, VECTOR, plus=together * work_left(figures))
    return _least(kept, _WIDEST / max(1.0, lane_bytes(figures)))


def no_spills(figures: Figures) -> Optional[float]:
    """Addresses go with the accesses."""
    left = in_registers(figures, _ACCESSES)
    return _without(figures, MEMORY, L1, VECTOR, plus=left)


def less_traffic(figures: Figures) -> Optional[float]:
    """Of what is not moved, or not read again, loads and addresses go. What several launches move
    may stay for all of their steps: then they are one."""
    floor = (number(figures, "launch_floor") or 0.0) / max(1.0, number(figures, "launches") or 1.0)
    left = max(floor, _from_registers(figures, _ACCESSES))
    return _without(figures, MEMORY, L1, VECTOR, LAUNCHING, plus=left)


def no_conflicts(figures: Figures) -> Optional[float]:
    lost = number(figures, "conflict_time")
    if lost is None:
        return None
    waits = max(number(figures, name) or 0.0 for name in ("wait_share", "traced_stall"))
    conflicts = number(figures, "lds_conflicts") or 0.0
    bound = _at_most(1.0 - min(1.0, max(lost, waits * conflicts)))
    known = shares(figures)
    works = known.get(LDS, 0.0)
    if works < max(known.values(), default=0.0):
        return bound
    # Where no unit works more, all that idles beside it waits for the LDS.
    return max(bound, _without(figures, LDS, plus=works * (1.0 - min(1.0, conflicts))) or 1.0)


def no_conflicts_uncounted(figures: Figures) -> Optional[float]:
    """As if the LDS worked all of the time: nobody knows how much it does."""
    kept = 1.0 - min(1.0, number(figures, "lds_conflicts") or 0.0)
    return _without(figures, LDS, plus=kept)


def fewer_lds_accesses(figures: Figures) -> Optional[float]:
    """Conflicts go with the accesses."""
    return _without(figures, LDS, VECTOR, plus=_from_registers(figures, _LDS_ACCESSES))


def fewer_lds_accesses_and_waits(figures: Figures) -> Optional[float]:
    """What waits for the LDS waits no more, too, and addresses go with the accesses."""
    waits = number(figures, "wait_share") or 0.0
    left = max(0.0, 1.0 - waits - max(number(figures, name) or 0.0 for name in OPERAND_UNITS))
    left = max(left * _STAYS, _from_registers(figures, _LDS_ACCESSES))
    return _without(figures, LDS, L1, VECTOR, plus=left)


def in_registers(figures: Figures, accesses: str) -> float:
    """Of the vector units' time, with values in registers: addresses go with these accesses."""
    busy = number(figures, "vector_busy") or 0.0
    return min(busy * stays(figures), work_left(figures, accesses))


def _from_registers(figures: Figures, accesses: str) -> float:
    """The same for several results from one value: their operations need not wait for each other
    and can be packed, two of FP32 in an instruction."""
    busy = number(figures, "vector_busy") or 0.0
    left = in_registers(figures, accesses)
    return left if holds(DOUBLE, figures) else min(left, busy * _STAYS)


def even_waves(figures: Figures) -> Optional[float]:
    """With all slots filled as at the best moment, or all that there are."""
    bound = even(figures)
    tail = number(figures, "lost_tail") or 0.0
    return max(bound or 1.0, _at_most(1.0 - tail))


def even(figures: Figures) -> Optional[float]:
    """As busy as now for as long as there is work, or even with all slots filled."""
    filled, limit = number(figures, "occupancy"), _finest_limit(figures)
    full = _at_most(filled / limit) if filled and limit else None
    known = [bound for bound in (number(figures, "even"), full) if bound is not None]
    return _least(_without(figures), max(known)) if known else None


def _finest_limit(figures: Figures) -> Optional[float]:
    """Of the wave slots, with smaller workgroups: less than one more has room where n have."""
    limit, rounds = number(figures, "occupancy_limit"), number(figures, "rounds")
    grid = number(figures, "workgroups_per_cu")
    if not limit or not rounds or not grid:
        return limit
    return min(1.0, limit * (1.0 + rounds / grid))


def no_stalls(figures: Figures) -> Optional[float]:
    """Of traced waves: they do nothing but issue, and what is exchanged goes past the LDS."""
    if number(figures, "traced_stall") is None:
        return None
    return _least(_without(figures, LDS), _at_most(_issued(figures) * stays(figures)))


def no_barriers(figures: Figures) -> Optional[float]:
    """A barrier keeps all behind it from being begun: a wave that has none may do nothing but
    issue, without lanes that wait for others beside it, and exchange nothing through LDS; what it
    issues for that exchange goes, too."""
    if number(figures, "traced_stall") is None:
        return None
    lanes = (number(figures, "vector_busy") or 0.0) * (number(figures, "lanes_of_filled") or 1.0)
    lanes *= stays(figures)
    issued = stays(figures) * _issued(figures)
    return _least(_without(figures, VECTOR, LDS, plus=lanes), _at_most(issued))


def same_way(figures: Figures) -> Optional[float]:
    """Lanes whose loop is the longest are what the last waves run on for, too, what is waited for
    in each way of a branch is waited for once, and what chooses the way may go."""
    lanes, tail = number(figures, "lanes_of_filled"), number(figures, "lost_tail") or 0.0
    waits = (number(figures, "wait_share") or 0.0) * (1.0 - 1.0 / _WAYS)
    kept = lanes and lanes * (1.0 - tail) * (1.0 - waits)
    kept = kept and kept * min(1.0 - _BRANCHING, stays(figures))
    return None if not kept else _at_most(kept)


def full_waves(figures: Figures) -> Optional[float]:
    """What each wave does once is done by fewer of them, too: scalar work, loops, launching."""
    return filled_waves(figures, _STAYS)


def filled_waves(figures: Figures, kept: float = 1.0) -> Optional[float]:
    """All slots filled with full waves: small workgroups may not be launched as fast as they end,
    and fewer of them fit. ``kept`` of the vector work stays."""
    fill, filled = number(figures, "lane_fill"), number(figures, "occupancy")
    if not fill:
        return None
    busy = (number(figures, "vector_busy") or 0.0) * fill * kept
    slots = _at_most(fill * min(1.0, filled)) if filled else None
    return max(_at_most(fill * kept), _least(_without(figures, VECTOR, plus=busy), slots) or 1.0)


def combined_atomics(figures: Figures) -> Optional[float]:
    """An atomic may be a loop that tries until nobody came between: its steps go with it."""
    return _without(figures, MEMORY, L1, VECTOR, plus=in_registers(figures, _ACCESSES))


def fewer_instructions(figures: Figures) -> Optional[float]:
    """One instruction for each access stays; floating point may go, too (a table, another formula),
    and what is computed in vain for lanes that are switched off, or too exactly."""
    busy = number(figures, "vector_busy") or 0.0
    kept = busy * (number(figures, "accesses_per_instruction") or 0.0)
    return _without(figures, VECTOR, LDS, L1, plus=max(min(1.0, kept), _half_looked_up(figures)))


def _half_looked_up(figures: Figures) -> float:
    """What is computed less often, or for several at once, is looked up less often, too."""
    known = shares(figures)
    return _STAYS * max(known.get(name, 0.0) for name in (LDS, L1))


def narrower(figures: Figures) -> Optional[float]:
    return _of_half_the_size(figures, VECTOR)


def _of_half_the_size(figures: Figures, unit: str) -> Optional[float]:
    """Values of half the size are half of the bytes."""
    known = shares(figures)
    moved = max(known.get(name, 0.0) for name in (MEMORY, L1, LDS)) / 2.0
    return _without(figures, unit, MEMORY, L1, LDS, plus=moved)


def in_matrix_units(figures: Figures) -> Optional[float]:
    """They need fewer loads, too: a lane's operand serves a whole row of the tile. Nothing where
    the device has none for the type."""
    if number(figures, "matrix_rate") == 0.0:
        return 1.0
    return _without(figures, VECTOR, MEMORY, L1, LDS)


def roof_of_type(figures: Figures) -> Optional[float]:
    return _of_half_the_size(figures, MATRIX)


def fused(figures: Figures) -> Optional[float]:
    return number(figures, "fused")


def beside(figures: Figures) -> Optional[float]:
    """Others that leave room in the same queue may run beside them as well."""
    known = [number(figures, name) for name in ("beside", "unlike_beside")]
    return max((bound for bound in known if bound is not None), default=None)


def unlike_beside(figures: Figures) -> Optional[float]:
    return number(figures, "unlike_beside")
