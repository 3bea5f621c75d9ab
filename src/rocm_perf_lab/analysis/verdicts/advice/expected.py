"""What a change will probably gain: by this advice is ordered, and nothing is promised by it.

A bound says what cannot be exceeded, and the less is known of a cause, the higher it is: ordered by
bounds, advice of which nobody knows whether it applies comes first. So changes whose cause is not
proven are expected to do what such changes do: instructions, bytes and accesses become half,
waiting is shared by eight loads in flight. Where the cause itself was counted (conflicts, scattered
accesses, lanes that are switched off) the bound is what is expected, and there is no function here.
"""

from __future__ import annotations

import math
from typing import Optional

from rocm_perf_lab.analysis.verdicts.advice.causes import (
    ATOMICS,
    CONFLICTS,
    DOUBLE,
    FEW_ACCESSES,
    OPERAND_UNITS,
    OPERANDS,
    PRODUCTS,
    SCATTERED,
    STAGED,
    explained,
    explained_work,
    faster,
    held_up,
    holds,
    lane_bytes,
    one_by_one,
    waiting_for_memory,
    work_for,
)
from rocm_perf_lab.analysis.verdicts.advice.expected_lds import half_the_lds
from rocm_perf_lab.analysis.verdicts.advice.row import Figures, number

_ALL_BUT_A_TENTH = 0.9
_PERHAPS, _MOSTLY = 0.25, 0.9  # of the cases
_MOST_OF_IT = 0.75
_HALF = 0.5  # of what is there, where nothing tells how much of it is needless
_SEQUENCES = 0.03  # of the instructions: one division in some thirty of them
_OF_A_DIVISION = 8.0  # instructions at least, for each of those that are told by name
_SEQUENCES_OF_DOUBLE = 0.003  # a power of double precision takes some 200 and one reciprocal
_ONLY_STORES = 0.99  # of the requests to L2
_IN_FLIGHT = 8.0  # loads of one wave, as code that loads ahead has them
_OF_DOUBLE = 2.0 / 3.0  # saved by float, functions and divisions included
_WITH_A_TURN = 1.5  # of its time: what steps that do not need each other save of their own
_AT_ONCE = 4.0  # steps that do not need each other
_WIDEST = 16.0  # bytes per lane of one access
_LANE_BYTES = 4.0  # pieces of 64 bytes that a coalesced access looks up
_DEPENDENT = 0.3  # of the wave slots filled: two waves on a SIMD hide little of each other's chains
# 16 x 16 results of 4 steps (FP32) take two loads instead of 16 products.
_MATRIX_LOADS, _NARROW_MATRIX_LOADS = 2.0 / 16.0, 2.0 / 64.0
# A launch with a workgroup for each compute unit mostly has all the work-items that its problem
# has; to split them costs another step that puts the parts together.
_SPLIT = 1.0 / 3.0
_ONE_WAVE, _ENOUGH_WAVES = 1.5, 4.0  # on a SIMD


def hidden_waiting(figures: Figures) -> Optional[float]:
    """Loads that are in flight already, and those behind a barrier, hide nothing more; and where
    nothing is loaded there is nothing to have in flight."""
    written, accesses = number(figures, "written"), number(figures, "accesses_per_wave")
    if written and written >= _ONLY_STORES and accesses and accesses < FEW_ACCESSES:
        return 1.0
    waiting = number(figures, "traced_way")
    waiting = waiting_for_memory(figures) if waiting is None else waiting
    if waiting is None:
        return None
    flying = min(1.0, (number(figures, "loads_in_flight") or 0.0) / _IN_FLIGHT)
    free = 1.0 - held_up(figures)
    return faster(waiting * (1.0 - max(explained(figures))) * (1.0 - flying) * free)


def coalesced(figures: Figures) -> Optional[float]:
    """Of waiting for vector memory, and for its queue, what is for the needless pieces; what is for
    atomics has advice of its own."""
    apart, lines = number(figures, "traced_apart"), number(figures, "lines_per_access")
    if not holds(SCATTERED, figures) and "spread" in figures:  # nearly: known is how many they need
        return less_spread(figures)
    atomics = number(figures, "atomic_share") if holds(ATOMICS, figures) else 0.0
    if apart is not None:
        return faster(apart * (1.0 - (atomics or 0.0)))
    waiting = number(figures, "traced_vector")
    if waiting is None:  # nobody traced: what waits or moves at all
        known = (number(figures, name) for name in ("wait_share", "reached_memory"))
        waiting = max((share for share in known if share is not None), default=None)
    if waiting is None or not lines:
        return None
    return faster(waiting * (1.0 - _LANE_BYTES / lines) * (1.0 - (atomics or 0.0)))


def less_spread(figures: Figures) -> Optional[float]:
    """Of what waves wait for, or memory moves, the needless pieces; atomics that are waited for
    have advice of their own."""
    apart = (number(figures, "traced_apart") or 0.0) - (number(figures, "traced_atomics") or 0.0)
    needless = 1.0 - 1.0 / max(1.0, number(figures, "spread") or 1.0)
    return faster(needless * max(apart, number(figures, "reached_memory") or 0.0))


def perhaps_apart(figures: Figures) -> Optional[float]:
    """Where nobody knows whether lanes are apart or load that much: mostly they do."""
    lines = number(figures, "lines_per_access") or _LANE_BYTES
    return 1.0 + _PERHAPS * max(0.0, lines / _LANE_BYTES - 1.0)


def no_spills(figures: Figures) -> Optional[float]:
    """Of accesses that a trace counts, and of what waits for them or makes their addresses."""
    traced = number(figures, "scratch")
    return None if traced is None else faster(_ALL_BUT_A_TENTH * traced)


def no_selects(figures: Figures) -> Optional[float]:
    return faster(_ALL_BUT_A_TENTH * (number(figures, "time_selects") or 0.0))


def combined_atomics(figures: Figures) -> Optional[float]:
    waiting = number(figures, "traced_atomics")
    return None if waiting is None else faster(waiting)


def split_work(figures: Figures) -> Optional[float]:
    """More workgroups where there is one for each compute unit: they only hide waiting."""
    waiting, unfilled = number(figures, "wait_share"), number(figures, "unfilled")
    if waiting is None or not unfilled:
        return None
    return faster(_SPLIT * waiting * (1.0 - 1.0 / unfilled))


def for_each_result(figures: Figures) -> Optional[float]:
    """As many times the waves as a work-item stores results fill what idles, or none of it where
    each result needs the one before: the mean of the logarithms. Other causes come first."""
    results, unfilled = number(figures, "results"), number(figures, "unfilled")
    busiest = number(figures, "busiest")
    if not results or not unfilled or not busiest:
        return None
    gain = min(results, unfilled, 1.0 / busiest) ** _HALF
    return faster((1.0 - 1.0 / gain) * (1.0 - max(explained(figures))))


def more_room(figures: Figures) -> Optional[float]:
    """Workgroups that stood in line run beside the others, one round instead of several; but the
    unit that works most has as much to do."""
    rounds, busiest = number(figures, "rounds"), number(figures, "busiest") or 0.0
    if rounds is None:
        return None
    return faster((1.0 - busiest) * (1.0 - 1.0 / math.ceil(rounds)))


def filled_simds(figures: Figures) -> Optional[float]:
    """The same of waves that do not wait: of the time in which no unit works, what the slots that
    stay empty could fill."""
    rounds, busiest = more_room(figures), number(figures, "busiest")
    limit = number(figures, "occupancy_limit")
    if rounds is None or busiest is None or limit is None:
        return rounds
    return min(rounds, faster((1.0 - busiest) * (1.0 - limit)))


def wider_loads(figures: Figures) -> Optional[float]:
    """One wait brings 16 bytes instead of what it brings now, and so does one address."""
    traced = (number(figures, name) for name in ("narrow_time", "traced_vector"))
    waiting = next((share for share in traced if share is not None), waiting_for_memory(figures))
    if waiting is None:
        return None
    deciding = number(figures, "deciding_loads")
    if deciding is None:  # what comes next may lie elsewhere
        likely = _MOSTLY if one_by_one(figures) else 1.0
    else:
        likely = 1.0 - deciding
    return faster(likely * waiting * (1.0 - min(1.0, lane_bytes(figures) / _WIDEST)))


def half_the_work(figures: Figures) -> Optional[float]:
    """Of the instructions that no other advice is about.

    Divisions and functions are long sequences, each instruction of which needs the one before:
    then half of them is half of the time in which waves do not wait, however busy the units are.
    So it is of whatever many waves do at once. Plain sums and products of floating point are fewer
    only where two of them are packed into one instruction, which takes operations that do not need
    each other. Functions of double precision can be fewer as well as narrower. What is the same for
    all lanes hardly has to be computed by them.
    """
    busy = number(figures, "vector_busy")
    if busy is None:
        return None
    works = max(busy, _works(figures) * (1.0 - max(explained(figures))))
    for_all_lanes = _ALL_BUT_A_TENTH * works * work_for("same", figures)
    if _has_sequences(figures):
        saved = _of_sequences(figures) * works
    else:
        plain = min(1.0, number(figures, "flop_share") or 0.0)
        packed = 0.0 if is_dependent(figures) else _HALF
        works -= _alone(figures) * (works - busy)
        saved = _HALF * ((1.0 - plain) * works + plain * packed * busy)
    saved *= 1.0 - max(explained_work(figures))
    saved = max(saved, for_all_lanes)
    narrowed = half_the_width(figures) if _has_sequences(figures) else None
    return faster(max(saved, _HALF * (1.0 - 1.0 / (narrowed or 1.0))))


def _of_sequences(figures: Figures) -> float:
    """Of the instructions those that can go with divisions and functions: half of them, or more
    where hardly any are left that belong to none."""
    marks = number(figures, "sequences") or 0.0
    return min(_ALL_BUT_A_TENTH, max(_HALF, marks * _OF_A_DIVISION))


def _has_sequences(figures: Figures) -> bool:
    """Not where reciprocals and the like are so many that each stands alone: quick ones already."""
    if (number(figures, "special_share") or 0.0) > 1.0 / _OF_A_DIVISION:
        return False
    special = max(number(figures, name) or 0.0 for name in ("special_share", "sequences"))
    return special >= (_SEQUENCES_OF_DOUBLE if holds(DOUBLE, figures) else _SEQUENCES)


def _works(figures: Figures) -> float:
    """Of the time in which waves do not wait, whatever share of the device they are; counters do
    not call it waiting where a request to memory is not taken yet, but a trace does."""
    waits = max(number(figures, name) or 0.0 for name in ("wait_share", "traced_vector"))
    floor = number(figures, "launch_floor") or 0.0
    return max(number(figures, "vector_busy") or 0.0, (1.0 - floor) * (1.0 - waits))


def _alone(figures: Figures) -> float:
    """From 1, a wave has its SIMD for itself, to 0: others fill what lies between its steps."""
    filled, busy = number(figures, "occupancy"), number(figures, "cus_busy") or 1.0
    slots = number(figures, "slots_per_simd")
    if filled is None or slots is None:
        return 1.0
    waves = slots * filled / max(busy, filled)
    return min(1.0, max(0.0, (_ENOUGH_WAVES - waves) / (_ENOUGH_WAVES - _ONE_WAVE)))


def half_the_width(figures: Figures) -> Optional[float]:
    """Float makes twice as much as double at a time, and divisions and functions of it are shorter;
    conversions between them go. Products that matrix units could take are made twice as fast there
    as well, and stay exact."""
    double, busy = number(figures, "double_share"), number(figures, "vector_busy")
    if double is None or busy is None:
        return None
    if all(holds(condition, figures) for condition in (PRODUCTS, OPERANDS)):
        works, saved = busy, _HALF * double
    else:
        works = max(busy, 1.0 - (number(figures, "wait_share") or 0.0))
        saved = _OF_DOUBLE * double
    return faster(works * min(1.0, saved + (number(figures, "conversion_share") or 0.0)))


def is_dependent(figures: Figures) -> bool:
    """Few waves, and yet neither waiting nor a unit that is always busy."""
    filled, busiest = number(figures, "occupancy"), number(figures, "busiest")
    few = filled is not None and filled < _DEPENDENT
    return few and busiest is not None and busiest < 0.9


def half_the_operands(figures: Figures) -> Optional[float]:
    """Where products wait for their operands, from LDS or memory: half as many with larger tiles
    in registers."""
    return faster(_HALF * _operands(figures))


def _operands(figures: Figures) -> float:
    """Of the time: waiting for operands, or bringing them; conflicts have advice of their own."""
    names = ("traced_memory", "traced_lds")
    traced = sum(number(figures, name) or 0.0 for name in names)
    queued = (number(figures, "traced_vector") or 0.0) + (number(figures, "traced_lds") or 0.0)
    waits = (number(figures, "wait_share") or 0.0) if "traced_stall" not in figures else 0.0
    busy = [number(figures, name) or 0.0 for name in OPERAND_UNITS]
    lost = number(figures, "conflict_time") if holds(CONFLICTS, figures) else 0.0
    return max(0.0, min(1.0, max(traced, queued, waits, *busy)) - (lost or 0.0))


def in_matrix_units(figures: Figures) -> Optional[float]:
    """Fewer instructions for the products, and fewer loads for each of them.

    Of FP32 whose operands are in LDS a larger tile in registers and packed products do as much; of
    double precision nothing is packed.
    """
    busy = number(figures, "vector_busy")
    if busy is None:
        return None
    works = _works(figures)
    operands = _operands(figures)
    is_narrow = (number(figures, "narrow_products") or 0.0) >= _HALF
    staged = 0.0 if is_narrow else number(figures, "lds_busy") or 0.0
    rate = max(1.0, number(figures, "matrix_rate") or 1.0)
    products = number(figures, "products") or 0.0
    if staged >= STAGED:  # what is loaded besides is no operand where the LDS is the busiest
        wide = works * products * (1.0 - 1.0 / rate) if holds(DOUBLE, figures) else 0.0
        fewer = faster(_HALF * operands + wide)
        return min(fewer, half_the_lds(figures)) if staged >= _HALF else fewer
    loads = _NARROW_MATRIX_LOADS if is_narrow else _MATRIX_LOADS
    now = number(figures, "operands_per_product")
    left = 0.0 if not now else min(1.0, loads / now)
    scalar = _scalar(figures)  # loads that bring operands of all lanes: none is left
    saved = scalar + max(0.0, operands - scalar) * (1.0 - left) * _read_again(figures, is_narrow)
    if not is_narrow:  # of wide types fewer may be products of matrices: other causes come first
        saved *= 1.0 - max(explained(figures))
    return faster(works * products * (1.0 - 1.0 / rate) + saved)


def _read_again(figures: Figures, is_narrow: bool) -> float:
    """Of the operands those that serve several products: only they are loaded less often."""
    if is_narrow and (number(figures, "lds_busy") or 0.0) >= STAGED:
        return 1.0
    caches = ("l1_hits", "l2_hits") if is_narrow else ("l1_hits",)
    known = [share for share in (number(figures, name) for name in caches) if share is not None]
    return max(known, default=1.0)


def _scalar(figures: Figures) -> float:
    memory, vector = number(figures, "traced_memory"), number(figures, "traced_vector")
    return max(0.0, (memory or 0.0) - (vector or 0.0))


def several_steps(figures: Figures) -> Optional[float]:
    """Half of the time in which no unit works, and no cause is known: what lies between
    instructions that other advice is about is theirs."""
    busiest = number(figures, "busiest")
    if busiest is None:
        return None
    left = (1.0 - max(explained(figures))) * (1.0 - max(explained_work(figures)))
    return faster(min(_HALF * (1.0 - busiest) * left * _alone(figures), _in_loops(figures)))


def filled_gaps(figures: Figures) -> Optional[float]:
    """Of few waves that wait for nothing, all the time in which no unit works."""
    busiest = number(figures, "busiest")
    if busiest is None:
        return None
    left = 1.0 - busiest - (number(figures, "wait_share") or 0.0)
    return faster(min(left * (1.0 - max(explained(figures))), _in_loops(figures)))


def _in_loops(figures: Figures) -> float:
    """Steps that do not need each other share what comes with each turn of a loop; where there is
    no such turn, nothing lies between instructions but the way of code that comes from memory."""
    turns = number(figures, "time_control")
    return 1.0 if turns is None else _WITH_A_TURN * turns


def several_shuffles(figures: Figures) -> Optional[float]:
    """Of several rows or sums side by side the loads are side by side as well: half of what more
    of them in flight would save goes along. They share the turns of loops."""
    waiting = number(figures, "traced_lds")
    if waiting is None:
        return None
    loads = 1.0 - 1.0 / (hidden_waiting(figures) or 1.0)
    turns = number(figures, "time_control") or 0.0
    return faster((waiting + turns) * (1.0 - 1.0 / _AT_ONCE) + _HALF * loads)


def several_lookups(figures: Figures) -> Optional[float]:
    """The same of look-ups where no other cause keeps waves from hiding each other's waiting."""
    together = several_shuffles(figures)
    if together is None:
        return None
    return faster((1.0 - 1.0 / together) * (1.0 - max(explained(figures))))


def even_lives(figures: Figures) -> Optional[float]:
    """Others take over most of what the longest waves do, but not all of it."""
    lived = number(figures, "lived")
    return None if lived is None else faster(_MOST_OF_IT * (1.0 - lived))


def without_tail(figures: Figures) -> Optional[float]:
    """Waves that stand in line for memory are done one after the other, however even their work is:
    the last of the line is no tail."""
    lost, line = number(figures, "lost_tail"), number(figures, "traced_line") or 0.0
    return None if lost is None else faster(lost * (1.0 - min(1.0, line)))
