"""What to try first: one table of advice by bottleneck, each with the numbers that led to it.

Rows are tried from top to bottom; the first ones whose conditions hold are given. Texts are filled
with the metrics of the kernel (``kernel_metrics``) and the figures of ``Figures``. A row whose text
needs a number that is not known is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional, Union

from rocm_perf_lab.analysis.verdicts.rules import (
    ATOMIC,
    COLLECTIVE,
    COMPUTE,
    DIVERGENCE,
    IMBALANCE,
    LATENCY,
    LAUNCH,
    LDS,
    MEMORY_BANDWIDTH,
    ONE_WAVE,
    SMALL_GRID,
    UNDER_OCCUPIED,
    Condition,
    at_least,
    below,
)

Figures = Mapping[str, Union[float, str]]

# A wave's widest coalesced access, 64 lanes of 16 bytes, makes 16 requests of 64 bytes.
SCATTERED = at_least("requests_per_access", 16.0)


@dataclass(frozen=True)
class Advice:
    what: str
    why: str


@dataclass(frozen=True)
class _Row:
    what: str
    why: str
    conditions: tuple[Condition, ...] = ()
    limiter: Optional[str] = None  # of the occupancy


_COALESCE = _Row(
    "Let neighbouring work-items access neighbouring addresses: change the loop order or the data "
    "layout, or go through LDS.",
    "one memory instruction of a wave makes {requests_per_access:.0f} requests to L2; consecutive "
    "4-byte elements make 2 to 4",
    (SCATTERED,),
)
_FEWER_REGISTERS = _Row(
    "Make room for more waves with fewer registers: shorter live ranges, less unrolling, smaller "
    "tiles, __launch_bounds__.",
    "{vgpr:.0f} registers per lane allow {occupancy_limit:.1%} of the wave slots; {next_up}",
    (below("occupancy_limit", 0.5),),
    limiter="vgpr",
)
_LESS_LDS = _Row(
    "Make room for more workgroups with less LDS: smaller tiles, narrower types, or buffers that "
    "share their space.",
    "{lds_bytes:.0f} bytes of LDS allow {occupancy_limit:.1%} of the wave slots; {next_up}",
    (below("occupancy_limit", 0.5),),
    limiter="lds",
)
_MORE_WORKGROUPS = _Row(
    "Launch more workgroups: give each less work, or split the longest loop over several.",
    "{workgroups:.0f} workgroups for {cu_count:.0f} compute units leave the GPU short of work",
    (below("workgroups_per_cu", 4.0), at_least("waves", 2.0)),
)
_SPILLS = _Row(
    "Stop spilling registers to memory: smaller arrays, less unrolling, launch bounds that leave "
    "more registers.",
    "every work-item has {scratch_bytes:.0f} bytes of scratch memory",
    (at_least("scratch_bytes", 1.0),),
)

_TABLE: Mapping[str, Sequence[_Row]] = {
    MEMORY_BANDWIDTH: (
        _COALESCE,
        _SPILLS,
        _Row(
            "Reuse what was loaded: tile the loops so that a block of data serves many operations "
            "from LDS or registers.",
            "L2 answers {l2_hits:.0%} of the requests, the rest goes on to memory",
            (below("l2_hits", 0.5),),
        ),
        _Row(
            "Move fewer bytes: a narrower type, or one kernel instead of two, so that results in "
            "between stay in registers.",
            "{bound} is at {reached:.0%} of its roof: only less traffic makes this faster",
        ),
        _Row(
            "Check that nothing is loaded twice by neighbouring workgroups; order them so that "
            "they share L2.",
            "L2 answers {l2_hits:.0%} of the requests",
        ),
        _Row(
            "Measure what this device can do (rocm-perf roofs): the roof of the data sheet is out "
            "of reach.",
            "{bound} is at {reached:.0%} of its roof",
            (at_least("memory_reached", 0.0),),
        ),
    ),
    LATENCY: (
        _COALESCE,
        _SPILLS,
        _FEWER_REGISTERS,
        _LESS_LDS,
        _MORE_WORKGROUPS,
        _Row(
            "Have more loads in flight: unroll, load the next piece before working on this one, "
            "use several independent accumulators.",
            "waves wait {wait_share:.0%} of their life, with {occupancy:.0%} of the wave slots "
            "filled and {bound} at {reached:.0%}",
            (at_least("wait_share", 0.25),),
        ),
        _Row(
            "Let each step need less of the one before: independent accumulators, sums in pairs, "
            "the next value begun before this one is used.",
            "waves wait {wait_share:.0%} of their life only, and yet no unit is busy: the vector "
            "units work {vector_busy:.0%} of the time",
            (below("wait_share", 0.25),),
        ),
        _Row(
            "Follow several chains at once, or shorten the way: smaller nodes, neighbours beside "
            "each other, what is followed often in LDS.",
            "one wave waits {wait_share:.0%} of its life, and nothing else could run meanwhile",
            (ONE_WAVE,),
        ),
        _Row(
            "Load wider: 16 bytes per work-item (float4) instead of 4 bring more data per wait.",
            "one memory instruction of a wave makes {requests_per_access:.1f} requests to L2",
            (below("requests_per_access", 8.0), at_least("wait_share", 0.25)),
        ),
        _Row(
            "See which instruction waits: rocm-perf profile --deep-analysis -- ./app",
            "counters tell that waves wait, a thread trace tells where",
        ),
    ),
    UNDER_OCCUPIED: (
        _Row(
            "Launch more workgroups: give each less work, or split the longest loop over several.",
            "{workgroups:.0f} workgroups for {cu_count:.0f} compute units: {idle_cus:.0%} of the "
            "GPU has nothing to do",
            (SMALL_GRID,),
        ),
        _Row(
            "Use smaller workgroups, down to 64 work-items: the same work then spreads over more "
            "compute units.",
            "each workgroup has {workgroup_size:.0f} work-items and runs on one compute unit",
            (SMALL_GRID, at_least("workgroup_size", 128.0)),
        ),
        _Row(
            "Run something else beside it: independent kernels on another stream, or several "
            "problems in one launch.",
            "a launch uses {workgroups:.0f} of {cu_count:.0f} compute units",
            (SMALL_GRID,),
        ),
        _FEWER_REGISTERS,
        _LESS_LDS,
        _Row(
            "Have more loads in flight: unroll, load the next piece before working on this one.",
            "waves wait {wait_share:.0%} of their life and few others could run meanwhile",
            (at_least("wait_share", 0.25),),
        ),
        _SPILLS,
        _Row(
            "Find a workgroup size that fits better; try 64, 128 and 256 work-items.",
            "workgroups of {workgroup_size:.0f} work-items fill at most {occupancy_limit:.1%} of "
            "the wave slots",
        ),
    ),
    DIVERGENCE: (
        _Row(
            "Make the workgroup a multiple of the wave size, {wave_size:.0f}.",
            "only {lane_fill:.0%} of the lanes of its waves belong to a work-item",
            (below("lane_fill", 1.0),),
        ),
        _Row(
            "Sort the work so that all lanes of a wave take the same way: branch by workgroup or "
            "by wave, group equal cases.",
            "{lanes_active:.0%} of the lanes are switched on while the vector units work",
        ),
        _Row(
            "Shorten what is inside the branches: move common work out, replace small branches by "
            "a selection (a ? b : c).",
            "a wave runs both sides of a branch, one after the other",
        ),
        _Row(
            "Split the cases into kernels of their own, or let lanes take the next item when they "
            "are done (a queue per wave) where loop counts differ.",
            "at {lanes_active:.0%} active lanes the same work could take {lanes_active:.0%} of its "
            "vector time",
        ),
    ),
    COMPUTE: (
        _Row(
            "Use a narrower type where the result allows it: matrix units run FP16, BF16 and FP8 "
            "several times as fast as FP32 or FP64.",
            "the matrix units work {matrix_busy:.0%} of the time",
            (at_least("matrix_busy", 0.5),),
        ),
        _Row(
            "Compare with rocBLAS or hipBLASLt for the same sizes: what they do not gain either is "
            "not worth trying.",
            "{headroom:.0%} of the time is left at most before the {bound} bind",
            (at_least("matrix_busy", 0.5),),
        ),
        _Row(
            "Let the matrix units work: products and convolutions through rocBLAS, hipBLASLt, "
            "rocWMMA or MFMA instructions.",
            "the vector units work {vector_busy:.0%} of the time, the matrix units "
            "{matrix_busy:.0%}",
            (below("matrix_busy", 0.25),),
        ),
        _Row(
            "Spend fewer instructions per result: constants and indices out of the loop, fast "
            "divisions and roots (-ffast-math where allowed), packed math (float2).",
            "the vector units work {vector_busy:.0%} of the time for {compute_reached:.0%} of the "
            "FLOP/s of the device",
            (below("matrix_busy", 0.5),),
        ),
        _Row(
            "Do less: an algorithm with fewer operations, or results that are kept instead of "
            "computed again.",
            "{bound} at {reached:.0%}: this work cannot become much faster",
        ),
    ),
    LDS: (
        _Row(
            "Pad the rows of the shared array by one element, or permute its columns (XOR with the "
            "row), so that the lanes of a wave hit different banks.",
            "{lds_conflicts:.0%} of the time that the LDS works is lost to bank conflicts",
            (at_least("lds_conflicts", 0.2),),
        ),
        _Row(
            "Move wider pieces: 8 or 16 bytes per lane (ds_read_b64, ds_read_b128) need fewer "
            "instructions.",
            "the LDS works {lds_busy:.0%} of the time",
        ),
        _Row(
            "Keep values in registers: a larger tile per work-item, or exchange inside the wave "
            "(__shfl, DPP) instead of through LDS.",
            "the LDS works {lds_busy:.0%} of the time, the vector units {vector_busy:.0%}",
        ),
        _Row(
            "See which access takes the time: rocm-perf profile --deep-analysis -- ./app",
            "{lds_conflicts:.0%} of the time of the LDS are conflicts, the rest are accesses",
        ),
    ),
    LAUNCH: (
        _Row(
            "Record the launches once as a graph (hipStreamBeginCapture, hipGraphLaunch) and "
            "replay it.",
            "launching takes {launch_share:.0%} of the time, a launch of the kernel "
            "{mean_time:.1f} us",
            (at_least("launch_share", 0.0),),
        ),
        _Row(
            "Do more per launch: fuse neighbouring kernels, or let one launch do several steps.",
            "{launches:.0f} launches of {mean_time:.1f} us, {launch_floor:.0%} of which any launch "
            "takes, and the time between them: in one launch up to {fused:.1f}x faster",
            (at_least("fused", 1.05),),
        ),
        _Row(
            "Do more per launch: fuse neighbouring kernels, or let one launch do several steps.",
            "{launches:.0f} launches of {mean_time:.1f} us each",
            (below("fused", 1.05),),
        ),
        _Row(
            "Do not wait for the GPU between launches: leave out hipDeviceSynchronize, use "
            "asynchronous copies and events.",
            "launching takes {launch_share:.0%} of the time",
            (at_least("launch_share", 0.05),),
        ),
        _Row(
            "Give the launch more to do, or do it where the data is: for so little work the host "
            "or a neighbouring kernel may be the better place.",
            "{launch_floor:.0%} of its time is what any launch takes",
            (at_least("launch_floor", 0.5),),
        ),
    ),
    IMBALANCE: (
        _Row(
            "Split the longest pieces: several workgroups for one long row or item, or pieces of "
            "equal work instead of equal count.",
            "a compute unit works {cus_busy:.0%} of the time and then waits for the last: evenly "
            "spread the kernel would be up to {even:.1f}x faster",
        ),
        _Row(
            "Begin with the longest: sort the work by length, or let workgroups take the next "
            "piece from a counter when they are done.",
            "{workgroups:.0f} workgroups for {cu_count:.0f} compute units end far apart",
        ),
        _Row(
            "See which waves run long: rocm-perf profile --deep-analysis -- ./app",
            "counters tell that compute units wait for others, a thread trace for which waves",
        ),
    ),
    COLLECTIVE: (
        _Row(
            "Compare the times of this kernel on all GPUs: the one with the shortest came last, "
            "and what it did before is what the others wait for.",
            "a collective takes {mean_time:.1f} us, most of it waiting for the slowest GPU",
        ),
        _Row(
            "Overlap it with work that does not need its result, on another stream.",
            "{launches:.0f} launches of {mean_time:.1f} us each",
        ),
        _Row(
            "Exchange less, or less often: small tensors together in one call, a narrower type.",
            "every call waits for all GPUs once; {launches:.0f} were made",
        ),
    ),
    ATOMIC: (
        _Row(
            "Combine before the atomic: add up in the wave (__shfl_down) and in LDS, then one "
            "atomic per workgroup.",
            "{atomic_share:.0%} of the requests to L2 are atomics, and the vector units work "
            "{vector_busy:.0%} of the time",
        ),
        _Row(
            "Spread the atomics: a private copy of the result per workgroup in LDS or memory, "
            "added up at the end.",
            "atomics on one address are done one after the other",
        ),
        _Row(
            "Use atomics whose old value nobody needs, and let the compiler use the hardware's for "
            "floating point (-munsafe-fp-atomics).",
            "a wave does not wait for an atomic without result",
        ),
    ),
}


# What takes most of the time where it is no kernel; figures are shares of the critical path.
_OUTSIDE: Mapping[str, _Row] = {
    "copies": _Row(
        "Copy less: leave data on the GPU between steps, use pinned memory (hipHostMalloc) and "
        "overlap copies with kernels on other streams.",
        "copies take {copies:.0%} of the critical path, kernels {kernels:.0%}",
    ),
    "launching": _Row(
        "Launch less often, or ahead: a graph (hipGraphLaunch), fused kernels, no waiting for the "
        "GPU between launches.",
        "launching takes {launching:.0%} of the critical path, kernels {kernels:.0%}",
    ),
    "unexplained": _Row(
        "Record what the host does meanwhile: rocm-perf explain -- ./app, or rocprofv3 "
        "--runtime-trace.",
        "no kernel runs for {other:.0%} of the time, and no API calls were recorded that would "
        "tell why",
    ),
    "host": _Row(
        "Let the GPU run ahead: submit the next work before waiting for the last, move host work "
        "to another thread.",
        "the host takes {host:.0%} of the critical path, kernels {kernels:.0%}",
    ),
}


def advice_outside(limit: str, shares: Figures, label: Optional[str]) -> list[Advice]:
    """For what limits the application outside of its kernels; nothing where a kernel does."""
    if limit not in _OUTSIDE or label == LAUNCH:  # whose own advice begins with launching
        return []
    row = _OUTSIDE[limit]
    return [Advice(row.what, row.why.format(**shares))]


def advice_for(label: str, figures: Figures, limiter: Optional[str], most: int = 3) -> list[Advice]:
    """The first ``most`` rows of the label that apply and whose numbers are known."""
    found = []
    for row in _TABLE[label]:
        if row.limiter not in (None, limiter) or not _applies(row, figures):
            continue
        try:
            found.append(Advice(row.what.format(**figures), row.why.format(**figures)))
        except KeyError:  # a number of the text is not known
            continue
    return found[:most]


def _applies(row: _Row, figures: Figures) -> bool:
    for condition in row.conditions:
        value = figures.get(condition.metric)
        if not isinstance(value, (int, float)) or not condition.holds(value):
            return False
    return True
