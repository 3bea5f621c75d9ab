"""Busy time is a union of intervals: checked against marking every nanosecond by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.analysis.path.timeline import (
    busy_ns,
    gpu_time,
    queues_of_kernels,
    queues_used,
)
from rocm_perf_lab.trace.model import Dispatches, Kernel, Trace

intervals = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 25)), min_size=1, max_size=12)


def columns(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    start = np.array([s for s, _ in pairs], dtype=np.int64)
    return start, start + np.array([d for _, d in pairs], dtype=np.int64)


@given(intervals)
def test_busy_counts_every_covered_nanosecond_once(pairs: list[tuple[int, int]]) -> None:
    start, end = columns(pairs)
    covered = {t for s, d in pairs for t in range(s, s + d)}
    assert busy_ns(start, end) == len(covered)


@given(intervals)
def test_busy_lies_between_longest_dispatch_and_span(pairs: list[tuple[int, int]]) -> None:
    start, end = columns(pairs)
    time = gpu_time(Dispatches(start=start, end=end))
    assert max(d for _, d in pairs) <= time.busy_ns <= min(time.span_ns, time.kernel_sum_ns)


def test_two_overlapping_streams_are_not_added_up() -> None:
    start, end = columns([(0, 100), (50, 100)])
    time = gpu_time(Dispatches(start=start, end=end))
    assert (time.kernel_sum_ns, time.busy_ns, time.span_ns) == (200, 150, 150)


def test_nothing_ran() -> None:
    assert gpu_time(Dispatches()).busy_ns == 0


def test_queues_are_counted_and_streams_where_there_are_none() -> None:
    three = np.zeros(3, dtype=np.int64)

    def used(queue: list[int], stream: list[int]) -> int:
        columns = (np.array(queue, dtype=np.int32), np.array(stream, dtype=np.int32))
        found = Dispatches(start=three, end=three, queue=columns[0], stream=columns[1])
        return queues_used(found)

    assert used([0, 0, 0], [0, 1, 2]) == 1
    assert used([0, 1, 0], [0, 0, 0]) == 2
    assert used([-1, -1, -1], [4, 4, 4]) == 1
    assert used([0, 0, -1], [-1, 0, 0]) == 0
    assert queues_used(Dispatches()) == 0


def test_queues_of_each_kernel_are_counted_run_by_run() -> None:
    zeros = np.zeros(3, dtype=np.int64)

    def run(queue: list[int]) -> Trace:
        rows = Dispatches(
            start=zeros,
            end=zeros,
            kernel=np.array([0, 0, 1], dtype=np.int32),
            queue=np.array(queue, dtype=np.int32),
            stream=np.array([-1, -1, -1], dtype=np.int32),
        )
        return Trace(
            "run", kernels=(Kernel(0, 1, "a", None), Kernel(0, 2, "b", None)), dispatches=rows
        )

    assert queues_of_kernels([run([0, 0, 1]), run([0, 2, 1])]) == {"a": 2, "b": 1}
    assert queues_of_kernels([run([0, -1, 1])]) == {}
