"""Busy time is a union of intervals: checked against marking every nanosecond by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rocm_perf_lab.analysis.path.timeline import (
    busiest_queue,
    busy_ns,
    checks,
    gpu_time,
    kernels_in_series,
    kernels_of_busiest,
    queues_used,
    read_backs,
    uploads,
)
from rocm_perf_lab.trace.model import Agent, ApiCalls, Copies, Dispatches, Kernel, Trace

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


KERNELS = (Kernel(0, 1, "a", None), Kernel(0, 2, "b", None))


def run(*rows: tuple[int, int, int], back: tuple[int, ...] = ()) -> Trace:
    """Rows of (kernel, start, end), and the ends of copies to the host."""
    kernel, start, end = (np.array(column) for column in zip(*rows))
    zeros = np.zeros(len(back), dtype=np.int32)
    copies = Copies(start=zeros, end=np.array(back), target_agent=zeros)
    launched = Dispatches(start=start, end=end, kernel=kernel.astype(np.int32))
    host = Agent(0, 0, "CPU", "host", None, 0)
    return Trace("run", agents=(host,), kernels=KERNELS, dispatches=launched, copies=copies)


def test_launches_in_series_never_run_beside_each_other() -> None:
    one_by_one = run((0, 20, 30), (1, 0, 9), (0, 0, 10), (0, 10, 20))
    assert kernels_in_series([one_by_one]) == {"a": 1}  # of b there is one only
    assert kernels_in_series([run((0, 0, 10), (0, 5, 15), (1, 20, 29), (1, 29, 38))]) == {"b": 1}
    assert kernels_in_series([run((-1, 0, 10), (-1, 20, 30))]) == {}
    clocks_differ = run((0, 0, 1000), (0, 999, 2000))
    assert kernels_in_series([clocks_differ]) == {"a": 1}
    streams = replace(one_by_one.dispatches, stream=np.array([3, 0, 1, 2], dtype=np.int32))
    assert kernels_in_series([replace(one_by_one, dispatches=streams)]) == {"a": 3}


def test_kernels_of_one_template_are_in_one_series() -> None:
    both = run((0, 0, 10), (1, 10, 20))
    template = tuple(Kernel(0, k, f"void f<{k}>(int*)", None) for k in (1, 2))
    assert kernels_in_series([both]) == {}
    found = kernels_in_series([replace(both, kernels=template)])
    assert found == {kernel.name: 1 for kernel in template}


def test_steps_with_something_in_between_are_no_series() -> None:
    """Another kernel, or what the host reads, comes from one launch and goes into the next."""
    in_turn = run((0, 0, 10), (1, 10, 20), (0, 20, 30), (1, 30, 40))
    assert kernels_in_series([in_turn]) == {}
    launches = ((0, 0, 10), (0, 20, 30), (0, 40, 50))
    assert kernels_in_series([run(*launches, back=(15, 35))]) == {}
    assert kernels_in_series([run(*launches, back=(15,))]) == {"a": 1}
    streams = replace(in_turn.dispatches, stream=np.array([0, 0, 1, 1], dtype=np.int32))
    assert kernels_in_series([replace(in_turn, dispatches=streams)]) == {"a": 2, "b": 2}


def test_the_busiest_queue_of_several() -> None:
    known = run((0, 0, 30), (1, 0, 10)).dispatches
    assert busiest_queue(known) == 1.0
    assert busiest_queue(replace(known, queue=np.array([0, 0], dtype=np.int32))) == 1.0
    assert busiest_queue(replace(known, queue=np.array([0, 1], dtype=np.int32))) == 0.75


def test_kernels_of_the_busiest_queue_are_in_no_other() -> None:
    trace = run((0, 0, 30), (1, 30, 40), (0, 40, 50))
    assert kernels_of_busiest(trace) == frozenset()  # no queue is known
    for queues, names in (([0, 0, 0], {"a", "b"}), ([0, 1, 0], {"a"}), ([0, 0, 1], {"b"})):
        rows = replace(trace.dispatches, queue=np.array(queues, dtype=np.int32))
        assert kernels_of_busiest(replace(trace, dispatches=rows)) == names


def test_the_host_waits_for_what_it_reads_before_it_launches_more() -> None:
    launches = ((0, 0, 10), (0, 20, 30), (0, 40, 50))
    assert read_backs(run(*launches)) == 0
    assert read_backs(run(*launches, back=(15, 18, 60))) == 1  # two for one launch, one at the end
    assert read_backs(run(*launches, back=(15, 35))) == 2
    assert read_backs(run(*launches[1:], back=(15,))) == 0  # nothing was launched before it


def test_kernels_whose_results_the_host_waits_for() -> None:
    steps = ((0, 0, 10), (1, 10, 40), (0, 50, 60), (1, 60, 90), (0, 100, 110))
    assert checks(run(*steps, back=(45, 95))) == pytest.approx(60 / 90)
    assert checks(run(*steps)) == 0.0
    assert checks(run((1, 0, 5), (0, 5, 10), (0, 20, 30), back=(15,))) == 0.0  # nothing else


def test_what_is_copied_to_the_device_between_launches() -> None:
    launched = run((0, 0, 10), (0, 20, 30), back=(15, 40))
    up = replace(launched.copies, source_agent=np.zeros(2, dtype=np.int32))
    assert uploads(replace(launched, copies=up)) == 1  # the other is behind the last launch
    away = replace(up, source_agent=np.full(2, -1, dtype=np.int32))
    assert uploads(replace(launched, copies=away)) == 0


def test_what_the_host_launches_before_a_copy_ends_needs_nothing_of_it() -> None:
    """Three launches with a copy to the host behind each of the first two: all were called at once,
    or each one when the copy before had ended."""
    launches, back = ((0, 0, 10_000), (0, 20_000, 30_000), (0, 40_000, 50_000)), (15_000, 35_000)
    trace = replace(run(*launches, back=back), clock_skew_ns=1_000)
    numbers = np.array([1, 2, 3])

    def called(*starts: int) -> Trace:
        calls = ApiCalls(start=np.array(starts), stack_id=numbers)
        rows = replace(trace.dispatches, stack_id=numbers)
        return replace(trace, dispatches=rows, api_calls=calls)

    assert kernels_in_series([called(0, 100, 200)]) == {"a": 1}
    assert read_backs(called(0, 100, 200)) == 0
    assert kernels_in_series([called(0, 16_000, 36_000)]) == {}
    assert read_backs(called(0, 16_000, 36_000)) == 2
    assert read_backs(called(0, 100, 36_000)) == 1
