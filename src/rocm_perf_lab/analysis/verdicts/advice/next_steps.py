"""What to find out next where few changes are known, and what is said of collectives."""

from __future__ import annotations

from rocm_perf_lab.analysis.verdicts.advice.row import Row
from rocm_perf_lab.analysis.verdicts.rules import SMALL_GRID, at_least

_WAITS = at_least("wait_share", 0.25)
_MATRIX_WORKS = at_least("matrix_busy", 0.5)

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
