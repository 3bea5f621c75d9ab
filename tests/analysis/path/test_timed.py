"""Durations of counter passes must not enter a profile while a kernel trace is there."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from rocm_perf_lab.analysis.path.timed import ONLY_COUNTER_PASSES, timed_trace
from rocm_perf_lab.trace.model import Counters, Dispatches, TimeBounds, Trace


def trace_of(processes: list[int], counted_rows: list[int]) -> Trace:
    n = len(processes)
    return Trace(
        source="made up",
        strings=("SQ_WAVES",),
        dispatches=Dispatches(
            start=np.arange(n, dtype=np.int64),
            end=np.arange(n, dtype=np.int64) + 10,
            process=np.array(processes, dtype=np.int32),
        ),
        counters=Counters(
            dispatch=np.array(counted_rows, dtype=np.int32),
            name=np.zeros(len(counted_rows), dtype=np.int32),
            value=np.ones(len(counted_rows)),
        ),
    )


def test_counter_processes_are_left_out() -> None:
    timed = timed_trace(trace_of([0, 0, 1, 1], [2]))
    assert timed.dispatches.start.tolist() == [0, 1]
    assert timed.warnings == ()


def test_a_counter_pass_alone_stays_and_says_so() -> None:
    timed = timed_trace(trace_of([0, 0], [0]))
    assert len(timed.dispatches) == 2
    assert timed.warnings == (ONLY_COUNTER_PASSES,)


def test_without_counters_nothing_changes() -> None:
    trace = trace_of([0, 1], [])
    assert timed_trace(trace) is trace


def test_bounds_stay_with_their_dispatches() -> None:
    trace = trace_of([1, 0, 1, 0], [0])
    decided = TimeBounds(
        dispatch=np.array([2, 3], dtype=np.int32),
        name=np.array([0, 0], dtype=np.int32),
        simulated=np.array([5, 7], dtype=np.int64),
    )
    timed = timed_trace(replace(trace, bounds=decided))
    assert timed.dispatches.start.tolist() == [1, 3]
    assert timed.bounds.dispatch.tolist() == [1]
    assert timed.bounds.simulated.tolist() == [7]
