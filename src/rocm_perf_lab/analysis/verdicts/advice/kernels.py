"""Advice for kernels: one table over all bottlenecks, because the label names what limits a kernel
most and not what gains most. Each row applies where its numbers do; ``bounds`` says what it gains.
"""

from __future__ import annotations

from rocm_perf_lab.analysis.verdicts.advice import (
    bounds,
    causes,
    expected,
    expected_lanes,
    expected_launches,
    expected_lds,
)
from rocm_perf_lab.analysis.verdicts.advice.launches import LAUNCHES
from rocm_perf_lab.analysis.verdicts.advice.row import EASIER, SEEN, Row
from rocm_perf_lab.analysis.verdicts.advice.units import UNITS
from rocm_perf_lab.analysis.verdicts.rules import (
    LARGE_GRID,
    ONE_ADDRESS,
    ONE_WAVE,
    SMALL_GRID,
    at_least,
    below,
)

_SEVERAL_WAVES = at_least("waves", 2.0)
# More room for waves is of use where workgroups stand in line for it.
_ROOM = (*causes.IN_LINE_FOR_ROOM, causes.WAITS)
# Waves that do not wait and yet leave their units idle: others could fill what lies between steps.
_IDLE_BETWEEN = (*causes.IN_LINE_FOR_ROOM, below("busiest", 0.6))
_UNTRACED = at_least("untraced", 1.0)
_UNCOUNTED = (causes.FEW_SLOTS, at_least("uncounted", 1.0))
_FEWER_REGISTERS = (
    "Make room for more waves with fewer registers: shorter live ranges, less unrolling, smaller "
    "tiles, __launch_bounds__."
)
_REGISTERS = (
    "{vgpr:.0f} registers per lane allow {occupancy_limit:.1%} of the wave slots; {next_up}"
)
_LESS_LDS = (
    "Make room for more workgroups with less LDS: smaller tiles, narrower types, or buffers that "
    "share their space."
)
_LOAD_WIDER = (
    "Load wider: 16 bytes per work-item (float4, uint4) bring more data for each wait and each "
    "instruction."
)
_COMBINE = (
    "Combine before the atomic: add up in the wave (__shfl_down) or in LDS, or in a private copy "
    "of the result per workgroup, then one atomic for each workgroup."
)
_NO_CONFLICTS = (
    "Pad the rows of the shared array by one element, or permute its columns (XOR with the row), "
    "so that the lanes of a wave hit different banks."
)
_SPLIT_LONGEST = (
    "Split the longest pieces: several workgroups for one long row or item, pieces of equal work "
    "instead of equal count, or the next piece from a counter for who is done."
)
_FITTING = (
    "Make the number of workgroups fit: smaller pieces, or as many workgroups as run side by side "
    "with a loop in each."
)
_ROUNDS = (
    "the rounds of {workgroups:.0f} workgroups are filled to {round_fill:.0%}, and "
    "{occupancy:.0%} of the wave slots are filled where {occupancy_limit:.0%} could be"
)
_LDS = "{lds_bytes:.0f} bytes of LDS allow {occupancy_limit:.1%} of the wave slots; {next_up}"


# A loop over a few results is mostly one over items that could be those of other work-items, which
# hide each other's waiting; over many it is as often a stream whose results need each other. Units
# that nobody waits for are filled as well by steps side by side, but not SIMDs without a wave.
_FEW_RESULTS = (LARGE_GRID, at_least("unfilled", 4.0), at_least("results", 1.9))
_NOT_SPILLED = below("scratch_bytes", 1.0)  # which is stored, too
_RESULTS_OF_OTHERS = (
    (*_FEW_RESULTS, _NOT_SPILLED, below("results", 20.0), causes.WAITS),
    (*_FEW_RESULTS, _NOT_SPILLED, below("waves_per_simd", 0.75), below("busiest", 0.6)),
)
_FOR_EACH_RESULT = "Launch more workgroups: a work-item for each result instead of one for several."
_SEVERAL_RESULTS = (
    "a work-item stores {results:.0f} times, and there are {waves_per_simd:.2f} waves for each "
    "SIMD, which fill {occupancy:.0%} of the wave slots"
)


def _more_room(mend: str, what: str, why: str, limiter: str, ease: float = 1.0) -> tuple[Row, ...]:
    """Whatever takes the room, waves that could run are of use in the same two cases."""
    cases = ((_ROOM, expected.more_room), (_IDLE_BETWEEN, expected.filled_simds))
    return tuple(
        Row(mend, what, why, when, bounds.more_waves, limiter, likely, ease)
        for when, likely in cases
    )


ROWS = (
    Row(
        "spills",
        "Stop spilling registers to memory: smaller arrays that are indexed by constants, less "
        "unrolling, launch bounds that leave more registers.",
        "every work-item has {scratch_bytes:.0f} bytes of scratch memory; to store and load it is "
        "{scratch_accesses:.0%} of its {accesses_per_wave:.0f} memory accesses",
        (causes.SPILLS,),
        bounds.no_spills,
        expected=expected.no_spills,
        ease=SEEN,
    ),
    Row(
        "spills",
        "Index small arrays by constants only (unrolled loops), or keep them in LDS: registers "
        "have no addresses, so that an index of data is compared with every place.",
        "{time_selects:.0%} of the time of its traced waves is comparing an index with the places "
        "of an array in registers, and choosing by that",
        (causes.SELECTS,),
        bounds.fewer_instructions,
        expected=expected.no_selects,
        ease=SEEN,
    ),
    Row(
        "coalesce",
        "Let neighbouring work-items access neighbouring addresses: change the loop order or the "
        "data layout, or go through LDS.",
        "one memory instruction of a wave touches {lines_per_access:.0f} pieces of 64 bytes; "
        "consecutive 4-byte elements make 4",
        (causes.SCATTERED,),
        bounds.coalesced,
        expected=expected.coalesced,
    ),
    # Loads of 16 bytes look as many pieces up: only a thread trace tells them from lanes apart.
    Row(
        "coalesce",
        "Let neighbouring work-items access neighbouring addresses if each loads less than "
        "{access_bytes:.0f} bytes: an array for each field instead of records.",
        "one memory instruction of a wave touches {lines_per_access:.0f} pieces of 64 bytes, "
        "consecutive 4-byte elements make 4; the memory system is at {reached_memory:.0%} of its "
        "roof",
        (causes.APART, at_least("reached_memory", 0.5), _UNTRACED),
        bounds.coalesced,
        expected=expected.perhaps_apart,
    ),
    Row(
        "coalesce",
        "Let neighbouring work-items access neighbouring addresses: an array for each field "
        "instead of records, another loop order, or through LDS.",
        "one memory instruction of a wave touches {lines_per_access:.0f} pieces of 64 bytes, "
        "{spread:.1f} times as many as {access_bytes:.0f} bytes for each of its lanes need",
        (causes.SPREAD, causes.WAITS),
        bounds.coalesced,
        expected=expected.less_spread,
    ),
    Row(
        "atomics",
        _COMBINE,
        "{atomic_share:.0%} of the requests to L2 are atomics, and those on one address are done "
        "one after the other",
        (causes.ATOMICS,),
        bounds.combined_atomics,
    ),
    Row(
        "atomics",
        _COMBINE,
        "atomics on one address are done one after the other, and its own would take "
        "{one_address:.0%} of its time if they are all on one",
        (ONE_ADDRESS, causes.WAITS, below("busiest", 0.6), _UNTRACED),
        bounds.combined_atomics,
    ),
    Row(
        "atomics",
        _COMBINE,
        "{traced_atomics:.0%} of the time of its traced waves is waiting for atomics, and lanes "
        "with the same address are done one after the other",
        (causes.TRACED_ATOMICS,),
        bounds.combined_atomics,
        expected=expected.combined_atomics,
        ease=SEEN,
    ),
    Row(
        "conflicts",
        _NO_CONFLICTS,
        "{lds_conflicts:.0%} of the time that the LDS works is lost to bank conflicts, and it "
        "works {lds_busy:.0%} of the time",
        (causes.CONFLICTS,),
        bounds.no_conflicts,
        expected=expected_lds.no_conflicts,
        ease=SEEN,
    ),
    Row(
        "conflicts",
        _NO_CONFLICTS,
        "{lds_conflicts:.0%} of the time that the LDS works is lost to bank conflicts; how much it "
        "works is not known",
        (at_least("lds_conflicts", 0.5), at_least("lds_uncounted", 1.0), below("busiest", 0.6)),
        bounds.no_conflicts_uncounted,
    ),
    Row(
        "uneven",
        _SPLIT_LONGEST,
        "a compute unit works {cus_busy:.0%} of the time and then waits for the last",
        causes.UNEVEN,
        bounds.even,
    ),
    Row(
        "uneven",
        _SPLIT_LONGEST,
        "all waves begin at once, and live {lived:.0%} of the time of a launch in the mean: the "
        "longest of them run on alone",
        causes.UNEVEN_LIVES,
        bounds.even,
        expected=expected.even_lives,
    ),
    # Where registers limit the waves, no other number of workgroups runs more of them: more room
    # is the better cure.
    Row(
        "uneven",
        _FITTING,
        _ROUNDS,
        (*causes.TAIL, below("occupancy_limit", 0.5), causes.WAITS),
        bounds.even,
        limiter="vgpr",
    ),
    Row("uneven", _FITTING, _ROUNDS, causes.TAIL, bounds.even, ease=EASIER),
    Row(
        "uneven",
        "Even the work out: pieces of equal work instead of equal count, smaller workgroups, as "
        "many as run side by side, or the next piece from a counter for who is done.",
        "after the last wave has begun, {tail:.0%} of the wave slots over time stay empty while "
        "the longest waves run on, and no unit is busy more than {busiest:.0%} of the time",
        (causes.TRACED_TAIL, LARGE_GRID),
        bounds.even_waves,
        expected=expected.without_tail,
    ),
    Row(
        "barriers",
        "Wait for other waves less often: fewer barriers, smaller workgroups, order within the "
        "wave where no other wave is concerned.",
        "{traced_barrier:.0%} of the time of its traced waves is stall at barriers",
        (at_least("traced_barrier", 0.1),),
        bounds.no_barriers,
        expected=expected_lds.fewer_barriers,
        ease=SEEN,
    ),
    Row(
        "lanes",
        "Make the workgroup a multiple of the wave size, {wave_size:.0f}.",
        "only {lane_fill:.0%} of the lanes of its waves belong to a work-item",
        (causes.HALF_WAVES, _SEVERAL_WAVES),
        bounds.full_waves,
        expected=expected_lanes.full_waves,
        ease=EASIER,
    ),
    Row(
        "divergence",
        "Sort the work so that all lanes of a wave take the same way: branch by workgroup or by "
        "wave, group equal cases, equal loop counts side by side; shorten what is in the branches.",
        "{lanes_active:.0%} of the lanes are switched on while the vector units work, and those "
        "work {vector_busy:.0%} of the time",
        (causes.DIVERGENT, at_least("vector_busy", 0.1)),
        bounds.same_way,
        expected=expected_lanes.same_way,
    ),
    Row(
        "workgroups",
        "Launch more workgroups: give each less work, split the longest loop over several, or use "
        "smaller ones.",
        "{workgroups:.0f} workgroups for {cu_count:.0f} compute units: {idle_cus:.0%} of the GPU "
        "has nothing to do",
        (SMALL_GRID, _SEVERAL_WAVES),
        bounds.more_workgroups,
        expected=expected_launches.filled_device,
    ),
    *(
        Row(
            "workgroups",
            _FOR_EACH_RESULT,
            _SEVERAL_RESULTS,
            when,
            bounds.more_workgroups,
            expected=expected.for_each_result,
        )
        for when in _RESULTS_OF_OTHERS
    ),
    Row(
        "workgroups",
        "Launch more workgroups: give each less work, or split the longest loop over several.",
        "{workgroups:.0f} workgroups for {cu_count:.0f} compute units fill {occupancy:.0%} of the "
        "wave slots, and waves wait {wait_share:.0%} of their life",
        (
            LARGE_GRID,
            below("workgroups_per_cu", 4.0),
            at_least("unfilled", 1.5),
            at_least("cus_busy", 0.5),
            causes.WAITS,
        ),
        bounds.more_workgroups,
        expected=expected.split_work,
    ),
    # With registers goes what was done to keep values in them.
    *_more_room("registers", _FEWER_REGISTERS, _REGISTERS, "vgpr", SEEN),
    *_more_room("lds-room", _LESS_LDS, _LDS, "lds"),
    # Without counters nobody knows whether waves wait, and nothing is promised.
    Row("registers", _FEWER_REGISTERS, _REGISTERS, _UNCOUNTED, limiter="vgpr"),
    Row("lds-room", _LESS_LDS, _LDS, _UNCOUNTED, limiter="lds"),
    Row(
        "wider",
        _LOAD_WIDER,
        "a memory instruction brings a lane {access_bytes:.1f} bytes, where 16 are possible, and "
        "waves wait {wait_share:.0%} of their life",
        (*causes.NARROW, causes.WAITS, _SEVERAL_WAVES),
        bounds.wider,
        expected=expected.wider_loads,
    ),
    # Counters do not call it waiting where a request is not taken yet, nor where waves work: each
    # load has its address, and its part of a loop.
    Row(
        "wider",
        _LOAD_WIDER,
        "a memory instruction brings a lane {access_bytes:.1f} bytes, where 16 are possible, and "
        "{narrow_time:.0%} of the time of its traced waves is loads of less than 4 bytes, their "
        "addresses, and waiting for memory",
        (*causes.NARROW, causes.NARROW_TIME, _SEVERAL_WAVES),
        bounds.wider,
        expected=expected.wider_loads,
    ),
    Row(
        "in-flight",
        "Follow several chains at once, or shorten the way: smaller nodes, neighbours beside each "
        "other, what is followed often in LDS.",
        "one wave waits {wait_share:.0%} of its life, and nothing else could run meanwhile",
        (ONE_WAVE, causes.WAITS),
        bounds.hide_waiting,
        expected=expected.hidden_waiting,
    ),
    Row(
        "in-flight",
        "Have more loads in flight: unroll, load the next piece before working on this one, use "
        "several independent accumulators.",
        "waves wait {wait_share:.0%} of their life, and no unit is busy more than {busiest:.0%} of "
        "the time",
        (_SEVERAL_WAVES, causes.WAITS),
        bounds.hide_waiting,
        expected=expected.hidden_waiting,
    ),
    Row(
        "independent",
        "Exchange several values at once, so that a shuffle does not wait for the one before: "
        "several rows or sums side by side, or DPP instead of __shfl where lanes are near.",
        "{traced_lds:.0%} of the time of its traced waves is waiting for the LDS, and "
        "{shuffle_share:.0%} of its instructions there are shuffles",
        (at_least("shuffle_share", 0.5), at_least("traced_lds", 0.15)),
        bounds.no_stalls,
        expected=expected.several_shuffles,
    ),
    # Look-ups that wait for each other, in few waves: the LDS could answer many more.
    Row(
        "independent",
        "Look several values up at once, so that none waits for the one before: several items or "
        "sums side by side.",
        "{traced_lds:.0%} of the time of its traced waves is waiting for the LDS, which works "
        "{lds_busy:.0%} of the time only: the way there and back",
        (
            at_least("traced_lds", 0.15),
            below("lds_busy", 0.25),
            below("occupancy", 0.3),
            below("shuffle_share", 0.5),
            below("barriers_per_lds", 0.3),
        ),
        bounds.no_stalls,
        expected=expected.several_lookups,
    ),
    Row(
        "independent",
        "Let each step need less of the one before: independent accumulators, sums in pairs, the "
        "next value begun before this one is used.",
        "waves wait {wait_share:.0%} of their life only, and yet no unit is busy more than "
        "{busiest:.0%} of the time",
        (below("wait_share", 0.25), below("busiest", 0.6)),
        bounds.hide_dependence,
        expected=expected.several_steps,
    ),
    Row(
        "independent",
        "Let each step need less of the one before: independent accumulators, sums in pairs, the "
        "next value begun before this one is used.",
        "{occupancy:.0%} of the wave slots are filled, few to work while an instruction waits for "
        "the one before; waves wait {wait_share:.0%} of their life only, and yet no unit is busy "
        "more than {busiest:.0%} of the time",
        (
            below("wait_share", 0.25),
            below("occupancy", 0.3),
            below("busiest", 0.9),
            below("matrix_busy", 0.25),
        ),
        bounds.hide_dependence,
        expected=expected.filled_gaps,
    ),
    *UNITS,
    *LAUNCHES,
)
