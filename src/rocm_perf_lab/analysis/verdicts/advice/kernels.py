"""Advice for kernels: one table over all bottlenecks, because the label names what limits a kernel
most and not what gains most. Each row applies where its numbers do; ``bounds`` says what it gains.
"""

from __future__ import annotations

from rocm_perf_lab.analysis.verdicts.advice import bounds
from rocm_perf_lab.analysis.verdicts.advice.row import Row
from rocm_perf_lab.analysis.verdicts.rules import (
    LARGE_GRID,
    ONE_ADDRESS,
    ONE_WAVE,
    SMALL_GRID,
    at_least,
    below,
)

_WAITS = at_least("wait_share", 0.25)
_SEVERAL_WAVES = at_least("waves", 2.0)
_VECTOR_WORKS = at_least("vector_busy", 0.3)
_MATRIX_WORKS = at_least("matrix_busy", 0.5)
_MEMORY_WORKS = at_least("reached_memory", 0.5)
_ROOM = (below("occupancy_limit", 0.5), below("unfilled", 2.0), _WAITS)
_UNCOUNTED = (bounds.FEW_SLOTS, at_least("uncounted", 1.0))
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
_COMBINE = (
    "Combine before the atomic: add up in the wave (__shfl_down) or in LDS, or in a private copy "
    "of the result per workgroup, then one atomic for each workgroup."
)
_NO_CONFLICTS = (
    "Pad the rows of the shared array by one element, or permute its columns (XOR with the row), "
    "so that the lanes of a wave hit different banks."
)
_LDS = "{lds_bytes:.0f} bytes of LDS allow {occupancy_limit:.1%} of the wave slots; {next_up}"

ROWS = (
    Row(
        "spills",
        "Stop spilling registers to memory: smaller arrays that are indexed by constants, less "
        "unrolling, launch bounds that leave more registers.",
        "every work-item has {scratch_bytes:.0f} bytes of scratch memory; storing and loading them "
        "once is {scratch_accesses:.0%} of its {accesses_per_wave:.0f} memory accesses",
        (bounds.SPILLS,),
        bounds.no_spills,
    ),
    Row(
        "coalesce",
        "Let neighbouring work-items access neighbouring addresses: change the loop order or the "
        "data layout, or go through LDS.",
        "one memory instruction of a wave touches {lines_per_access:.0f} pieces of 64 bytes; "
        "consecutive 4-byte elements make 4",
        (bounds.SCATTERED,),
        bounds.coalesced,
    ),
    Row(
        "atomics",
        _COMBINE,
        "{atomic_share:.0%} of the requests to L2 are atomics, and those on one address are done "
        "one after the other",
        (bounds.ATOMICS,),
        bounds.combined_atomics,
    ),
    Row(
        "atomics",
        _COMBINE,
        "atomics on one address are done one after the other, and its own would take "
        "{one_address:.0%} of its time if they are all on one",
        (ONE_ADDRESS, _WAITS, below("busiest", 0.6)),
        bounds.combined_atomics,
    ),
    Row(
        "conflicts",
        _NO_CONFLICTS,
        "{lds_conflicts:.0%} of the time that the LDS works is lost to bank conflicts, and it "
        "works {lds_busy:.0%} of the time",
        (bounds.CONFLICTS,),
        bounds.no_conflicts,
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
        "Split the longest pieces: several workgroups for one long row or item, pieces of equal "
        "work instead of equal count, or the next piece from a counter for who is done.",
        "a compute unit works {cus_busy:.0%} of the time and then waits for the last",
        bounds.UNEVEN,
        bounds.even,
    ),
    Row(
        "uneven",
        "Make the number of workgroups fit: smaller pieces, or as many workgroups as run side by "
        "side with a loop in each.",
        "the rounds of {workgroups:.0f} workgroups are filled to {round_fill:.0%}, and "
        "{occupancy:.0%} of the wave slots are filled where {occupancy_limit:.0%} could be",
        bounds.TAIL,
        bounds.even,
    ),
    Row(
        "barriers",
        "Wait for other waves less often: fewer barriers, smaller workgroups, order within the "
        "wave where no other wave is concerned.",
        "{traced_barrier:.0%} of the time of its traced waves is stall at barriers",
        (at_least("traced_barrier", 0.2),),
        bounds.no_barriers,
    ),
    Row(
        "lanes",
        "Make the workgroup a multiple of the wave size, {wave_size:.0f}.",
        "only {lane_fill:.0%} of the lanes of its waves belong to a work-item",
        (bounds.HALF_WAVES, _SEVERAL_WAVES),
        bounds.full_waves,
    ),
    Row(
        "divergence",
        "Sort the work so that all lanes of a wave take the same way: branch by workgroup or by "
        "wave, group equal cases, equal loop counts side by side; shorten what is in the branches.",
        "{lanes_active:.0%} of the lanes are switched on while the vector units work, and those "
        "work {vector_busy:.0%} of the time",
        (bounds.DIVERGENT, at_least("vector_busy", 0.1)),
        bounds.same_way,
    ),
    Row(
        "workgroups",
        "Launch more workgroups: give each less work, split the longest loop over several, or use "
        "smaller ones.",
        "{workgroups:.0f} workgroups for {cu_count:.0f} compute units: {idle_cus:.0%} of the GPU "
        "has nothing to do",
        (SMALL_GRID, _SEVERAL_WAVES),
        bounds.more_workgroups,
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
            _WAITS,
        ),
        bounds.more_workgroups,
    ),
    Row(
        "registers",
        _FEWER_REGISTERS,
        _REGISTERS,
        _ROOM,
        bounds.more_waves,
        limiter="vgpr",
    ),
    Row(
        "lds-room",
        _LESS_LDS,
        _LDS,
        _ROOM,
        bounds.more_waves,
        limiter="lds",
    ),
    # Without counters nobody knows whether waves wait, and nothing is promised.
    Row("registers", _FEWER_REGISTERS, _REGISTERS, _UNCOUNTED, limiter="vgpr"),
    Row("lds-room", _LESS_LDS, _LDS, _UNCOUNTED, limiter="lds"),
    Row(
        "wider",
        "Load wider: 16 bytes per work-item (float4, uint4) bring more data for each wait and each "
        "instruction.",
        "a memory instruction of a wave makes {requests_per_access:.1f} requests to L2, where 4 "
        "bytes per lane make 2 to 4; waves wait {wait_share:.0%} of their life",
        (*bounds.NARROW, _WAITS, _SEVERAL_WAVES),
        bounds.wider,
    ),
    Row(
        "in-flight",
        "Follow several chains at once, or shorten the way: smaller nodes, neighbours beside each "
        "other, what is followed often in LDS.",
        "one wave waits {wait_share:.0%} of its life, and nothing else could run meanwhile",
        (ONE_WAVE, _WAITS),
        bounds.hide_waiting,
    ),
    Row(
        "in-flight",
        "Have more loads in flight: unroll, load the next piece before working on this one, use "
        "several independent accumulators.",
        "waves wait {wait_share:.0%} of their life, and no unit is busy more than {busiest:.0%} of "
        "the time",
        (_SEVERAL_WAVES, _WAITS),
        bounds.hide_waiting,
    ),
    Row(
        "independent",
        "Let each step need less of the one before: independent accumulators, sums in pairs, the "
        "next value begun before this one is used.",
        "waves wait {wait_share:.0%} of their life only, and yet no unit is busy more than "
        "{busiest:.0%} of the time",
        (below("wait_share", 0.25), below("busiest", 0.6)),
        bounds.hide_dependence,
    ),
    Row(
        "traffic",
        "Move fewer bytes: tiles that serve many operations from LDS or registers, a narrower "
        "type, one kernel instead of two, neighbouring workgroups that share L2.",
        "the memory system is at {reached_memory:.0%} of its roof, and L2 answers {l2_hits:.0%} of "
        "the requests",
        (_MEMORY_WORKS,),
        bounds.less_traffic,
    ),
    Row(
        "traffic",
        "Move fewer bytes: a narrower type, or one kernel instead of two, so that results in "
        "between stay in registers.",
        "the memory system is at {reached_memory:.0%} of its roof: only less traffic makes this "
        "faster",
        (_MEMORY_WORKS,),
        bounds.less_traffic,
    ),
    Row(
        "narrower",
        "Use a narrower type where the result allows it: float instead of double.",
        "{double_share:.0%} of the vector instructions are double precision, and the vector units "
        "work {vector_busy:.0%} of the time",
        (bounds.DOUBLE, at_least("vector_busy", 0.1)),
        bounds.narrower,
    ),
    Row(
        "narrower",
        "Use a narrower type where the result allows it: matrix units run FP16, BF16 and FP8 "
        "several times as fast as FP32 or FP64.",
        "the matrix units work {matrix_busy:.0%} of the time",
        (_MATRIX_WORKS,),
        bounds.roof_of_type,
    ),
    Row(
        "matrix",
        "Let the matrix units work: products and convolutions through rocBLAS, hipBLASLt, rocWMMA "
        "or MFMA instructions.",
        "{fma_share:.0%} of the vector instructions are fused products, {operands_per_fma:.2f} "
        "loads for each, and the matrix units work {matrix_busy:.0%} of the time",
        (bounds.PRODUCTS, bounds.OPERANDS, bounds.REUSED, below("matrix_busy", 0.25)),
        bounds.in_matrix_units,
    ),
    Row(
        "instructions",
        "Spend fewer instructions per result: keep what is computed again and again (a table, a "
        "register), constants and indices out of the loop, fast divisions and roots (-ffast-math "
        "where allowed), packed math (float2).",
        "the vector units work {vector_busy:.0%} of the time, and {flop_share:.0%} of their "
        "instructions are floating point",
        (_VECTOR_WORKS,),
        bounds.fewer_instructions,
    ),
    Row(
        "lds-traffic",
        "Move wider pieces (ds_read_b128), or keep values in registers: a larger tile per "
        "work-item, exchange inside the wave (__shfl, DPP) instead of through LDS.",
        "the LDS works {lds_busy:.0%} of the time, the vector units {vector_busy:.0%}",
        (at_least("lds_busy", 0.5),),
        bounds.fewer_lds_accesses,
    ),
    Row(
        "fuse",
        "Do more per launch: fuse neighbouring kernels, or let one launch do several steps.",
        "{launches:.0f} launches of {mean_time:.1f} us, {launch_floor:.0%} of which any launch "
        "takes, and the time between them",
        (at_least("fused", 1.05), at_least("launches", 2.0), at_least("launch_floor", 0.2)),
        bounds.fused,
    ),
)

# No changes: what to find out next, where fewer than three changes are known.
NEXT_STEPS = (
    Row(
        "find-out",
        "See which instruction waits: rocm-perf explain --deep-analysis -- ./app",
        "counters tell that waves wait {wait_share:.0%} of their life, a thread trace tells where",
        (_WAITS, at_least("untraced", 1.0)),
    ),
    Row(
        "find-out",
        "Compare with rocBLAS or hipBLASLt for the same sizes: what they do not gain either is not "
        "worth trying.",
        "the matrix units work {matrix_busy:.0%} of the time",
        (_MATRIX_WORKS,),
    ),
    Row(
        "find-out",
        "Measure what this device can do (rocm-perf roofs): the roof of the data sheet is out of "
        "reach.",
        "the memory system is at {memory_reached:.0%} of the roof of the data sheet",
        (at_least("memory_reached", 0.5),),
    ),
    Row(
        "beside",
        "Run something else beside it: independent kernels on another stream, or several problems "
        "in one launch.",
        "a launch uses {workgroups:.0f} of {cu_count:.0f} compute units",
        (SMALL_GRID,),
    ),
    Row(
        "host",
        "Do it where the data is: for so little work the host or a neighbouring kernel may be the "
        "better place.",
        "{launch_floor:.0%} of its time is what any launch takes",
        (at_least("launch_floor", 0.5),),
    ),
)

# Of collectives nothing is known but their name: their time is that of other GPUs.
COLLECTIVES = (
    Row(
        "balance",
        "Compare the times of this kernel on all GPUs: the one with the shortest came last, and "
        "what it did before is what the others wait for.",
        "a collective takes {mean_time:.1f} us, most of it waiting for the slowest GPU",
    ),
    Row(
        "overlap",
        "Overlap it with work that does not need its result, on another stream.",
        "{launches:.0f} launches of {mean_time:.1f} us each",
    ),
    Row(
        "exchange",
        "Exchange less, or less often: small tensors together in one call, a narrower type.",
        "every call waits for all GPUs once; {launches:.0f} were made",
    ),
)
