"""Advice for launches: several in one, or beside each other."""

from __future__ import annotations

from rocm_perf_lab.analysis.verdicts.advice import bounds, expected_launches
from rocm_perf_lab.analysis.verdicts.advice.row import EASIER, Row
from rocm_perf_lab.analysis.verdicts.rules import SMALL_GRID, at_least, below

_HAS_WORK = below("launch_floor", 0.3)
_MANY = 9.0  # launches: more than somebody makes streams for
_HAS_SOME_WORK = below("launch_floor", 0.45)

LAUNCHES = (
    Row(
        "fuse",
        "Do more per launch: fuse neighbouring kernels, or let one launch do several steps.",
        "{launches:.0f} launches of {mean_time:.1f} us, {launch_floor:.0%} of which any launch "
        "takes, and the time between them",
        (at_least("fused", 1.05), at_least("launches", 2.0), at_least("launch_floor", 0.2)),
        bounds.fused,
        expected=expected_launches.fused,
    ),
    Row(
        "fuse",
        "Do more per launch: let one launch take each value through all steps, if a step needs "
        "none that others made.",
        "{passes:.0f} launches load and store each value once, at {reached_memory:.0%} of the roof "
        "of memory, and find no neighbours in L1",
        (at_least("fused", 1.05), at_least("passes", 4.0)),
        bounds.fused,
        expected=expected_launches.fused,
    ),
    Row(
        "fuse",
        "Do more per launch: all of these launches in one, if they do not need each other.",
        "{alike:.0f} launches of {workgroups:.0f} workgroups for {cu_count:.0f} compute units "
        "stand in line, more than there are streams for that run beside each other",
        (SMALL_GRID, at_least("alike", _MANY), at_least("in_series", 1.0), _HAS_WORK),
        bounds.fused,
        expected=expected_launches.fused,
    ),
    # Whoever launches to several streams wants them to run beside each other.
    Row(
        "beside",
        "Let these streams not wait for each other if they need not: no default stream between "
        "them (or hipStreamNonBlocking), no events and no waiting that is not needed.",
        "{alike:.0f} launches of {workgroups:.0f} workgroups for {cu_count:.0f} compute units "
        "are in {in_series:.0f} streams and run one behind the other all the same",
        (SMALL_GRID, at_least("alike", 2.0), at_least("in_series", 2.0)),
        bounds.beside,
        expected=expected_launches.beside,
        ease=EASIER,
    ),
    Row(
        "beside",
        "Run these launches beside each other if they do not need each other: several streams, or "
        "all of them in one launch.",
        "{alike:.0f} launches of {workgroups:.0f} workgroups for {cu_count:.0f} compute units "
        "stand in one queue, one behind the other",
        (SMALL_GRID, at_least("alike", 2.0), at_least("in_series", 1.0), _HAS_WORK),
        bounds.beside,
        expected=expected_launches.beside,
        ease=EASIER,
    ),
    Row(
        "beside",
        "Let these streams not wait for each other if they need not: an event right behind what is "
        "waited for and behind nothing else, no default stream between them (or "
        "hipStreamNonBlocking).",
        "{unlike:.0f} different kernels with fewer workgroups than {cu_count:.0f} compute units "
        "are in several streams and run one behind the other all the same",
        (SMALL_GRID, at_least("unlike", 2.0), at_least("streams_wait", 1.0), _HAS_SOME_WORK),
        bounds.unlike_beside,
        expected=expected_launches.unlike_beside,
        ease=EASIER,
    ),
    Row(
        "beside",
        "Run these kernels beside each other where one does not need what another makes: a stream "
        "for each chain, or all of them in one launch.",
        "{unlike:.0f} different kernels with fewer workgroups than {cu_count:.0f} compute units "
        "stand in one queue, one behind the other",
        (SMALL_GRID, at_least("unlike", 2.0), _HAS_SOME_WORK),
        bounds.unlike_beside,
        expected=expected_launches.unlike_beside,
        ease=EASIER,
    ),
)
