"""Spread over runs: the thresholds from both sides, and what one run cannot say."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.analysis.kernels.stability import advice, classify, stability_of


@pytest.mark.parametrize(
    ("cv", "expected"),
    [
        (0.0, "stable"),
        (0.05, "stable"),
        (0.0500001, "moderate"),
        (0.10, "moderate"),
        (0.1000001, "unstable"),
        (3.0, "unstable"),
    ],
)
def test_class_changes_exactly_at_its_threshold(cv: float, expected: str) -> None:
    assert classify(cv) == expected


def test_drifting_runs_are_unstable() -> None:
    result = stability_of([0.10, 0.15, 0.20, 0.25, 0.30])
    assert result.classification == "unstable"
    assert result.mean_ms == pytest.approx(0.2)
    assert result.cv == pytest.approx(0.3953, abs=1e-4)


def test_one_run_has_a_mean_and_no_spread() -> None:
    result = stability_of([2.5])
    assert (result.runs, result.mean_ms) == (1, 2.5)
    assert result.stddev_ms is None
    assert result.cv is None
    assert result.classification is None


def test_no_runs_is_an_error_not_a_zero() -> None:
    with pytest.raises(ValueError, match="at least one run"):
        stability_of([])


def test_runs_without_kernel_time_have_no_relative_spread() -> None:
    assert stability_of([0.0, 0.0]).cv is None


@given(st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=20))
def test_agrees_with_the_standard_library(samples: list[float]) -> None:
    result = stability_of(samples)
    assert result.mean_ms == pytest.approx(statistics.fmean(samples))
    assert result.stddev_ms == pytest.approx(statistics.stdev(samples), abs=1e-9, rel=1e-6)


def test_advice_is_given_only_where_it_is_needed() -> None:
    assert advice("stable") is None
    assert advice(None) is None
    assert "--runs 10" in (advice("moderate") or "")
    assert "clocks" in (advice("unstable") or "")
