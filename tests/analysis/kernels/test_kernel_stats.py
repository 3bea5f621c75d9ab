"""Per-kernel statistics against the same sums done one dispatch at a time."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.analysis.kernels.stats import kernel_statistics
from rocm_perf_lab.trace.model import Dispatches, Kernel, Trace


def trace_of(rows: list[tuple[int, int, int]], names: tuple[str, ...]) -> Trace:
    """Rows are (kernel index, duration, grid x)."""
    kernel = np.array([k for k, _, _ in rows], dtype=np.int32)
    duration = np.array([d for _, d, _ in rows], dtype=np.int64)
    start = np.arange(len(rows), dtype=np.int64) * 1000
    grid = np.array([[g, 1, 1] for _, _, g in rows], dtype=np.int64).reshape(-1, 3)
    n = len(rows)
    return Trace(
        source="made up",
        kernels=tuple(Kernel(0, i, name, None) for i, name in enumerate(names)),
        dispatches=Dispatches(
            start=start,
            end=start + duration,
            kernel=kernel,
            grid=grid,
            block=np.ones((n, 3), dtype=np.int64),
            lds=np.zeros(n, dtype=np.int64),
        ),
    )


NAMES = ("alpha", "beta", "alpha")  # two symbols of one name: two code objects, one kernel

rows_strategy = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2**40), st.integers(1, 3)), max_size=40
)


@given(rows_strategy)
def test_agrees_with_plain_python(rows: list[tuple[int, int, int]]) -> None:
    found = {s.name: s for s in kernel_statistics(trace_of(rows, NAMES))}
    total = sum(d for _, d, _ in rows)
    for name in set(NAMES):
        durations = [d for k, d, _ in rows if NAMES[k] == name]
        if not durations:
            assert name not in found
            continue
        stats = found[name]
        assert stats.dispatches == len(durations)
        assert stats.total_ns == sum(durations)
        assert (stats.min_ns, stats.max_ns) == (min(durations), max(durations))
        assert stats.median_ns == pytest.approx(statistics.median(durations))
        assert stats.mean_ns == pytest.approx(statistics.fmean(durations))
        assert stats.share == pytest.approx(sum(durations) / total if total else 0.0)


def test_largest_total_first_and_ties_by_name() -> None:
    stats = kernel_statistics(trace_of([(1, 5, 1), (0, 5, 1), (2, 1, 1)], ("b", "a", "c")))
    assert [s.name for s in stats] == ["a", "b", "c"]


def test_representative_dispatch_has_the_most_frequent_shape() -> None:
    rows = [(0, 10, 256), (0, 10, 512), (0, 10, 512)]
    (stats,) = kernel_statistics(trace_of(rows, ("k",)))
    assert stats.shapes == 2
    assert stats.representative == 1


@given(st.lists(st.integers(1, 2**30), min_size=2, max_size=20))
def test_the_spread_of_dispatches_is_that_of_a_sample(durations: list[int]) -> None:
    (stats,) = kernel_statistics(trace_of([(0, d, 1) for d in durations], ("k",)))
    expected = statistics.stdev(durations) / statistics.fmean(durations)
    assert stats.cv == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_single_dispatch_has_no_spread() -> None:
    (stats,) = kernel_statistics(trace_of([(0, 10, 1)], ("k",)))
    assert stats.cv is None


def test_durations_too_long_for_a_combined_key_still_sort() -> None:
    rows = [(0, 2**62, 1), (1, 3, 1), (0, 1, 1)]
    found = {s.name: s for s in kernel_statistics(trace_of(rows, ("k", "m")))}
    assert found["k"].max_ns == 2**62
    assert found["m"].median_ns == 3


def test_no_dispatches_no_rows() -> None:
    assert kernel_statistics(trace_of([], ("k",))) == ()
