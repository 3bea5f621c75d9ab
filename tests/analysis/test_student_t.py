"""Quantiles of Student's t against the printed tables."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.student_t import t_inside, t_quantile


@pytest.mark.parametrize(
    ("inside", "freedom", "expected"),
    [
        (0.99, 1, 63.657),
        (0.99, 2, 9.925),
        (0.99, 3, 5.841),
        (0.99, 4, 4.604),
        (0.99, 9, 3.250),
        (0.99, 19, 2.861),
        (0.95, 5, 2.571),
        (0.95, 30, 2.042),
        (0.90, 120, 1.658),
    ],
)
def test_tables(inside: float, freedom: int, expected: float) -> None:
    assert t_quantile(inside, freedom) == pytest.approx(expected, abs=6e-4)
    assert t_inside(t_quantile(inside, freedom), freedom) == pytest.approx(inside)
