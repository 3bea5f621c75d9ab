"""What a kernel could gain: headroom, and the score that ranks kernels by it."""

from __future__ import annotations

from typing import Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_perf_lab.analysis.verdicts.headroom import (
    application_speedup,
    headroom_of,
    optimisation_score,
)


@pytest.mark.parametrize(
    ("reached", "known", "expected"),
    [
        ({"hbm": 0.75}, {}, (0.25, "hbm")),
        ({"hbm": 0.25}, {"vector_busy": 0.5}, (0.5, "vector units")),
        ({"hbm": 1.3}, {}, (0.0, "hbm")),
        ({"hbm": 0.125}, {"vector_busy": 1.0, "lanes_active": 0.5}, (0.5, "vector units")),
        ({"vector.fp32": 0.5}, {"lanes_active": 0.5}, (0.75, "vector.fp32")),
        ({"hbm": 0.125}, {"lds_busy": 1.0, "lds_conflicts": 0.75}, (0.75, "LDS")),
        ({"hbm": 0.0, "lds": 0.0}, {"lds_busy": 0.0}, None),
        ({}, {}, None),
    ],
)
def test_headroom(
    reached: dict[str, float], known: dict[str, float], expected: Optional[tuple[float, str]]
) -> None:
    found = headroom_of(reached, known)
    assert (None if found is None else (found.fraction, found.bound)) == expected


shares = st.dictionaries(st.sampled_from(["hbm", "l2", "vector.fp32"]), st.floats(0, 2), min_size=1)


@settings(deadline=None)
@given(shares, st.floats(0, 1), st.sampled_from(["hbm", "l2", "vector.fp32"]), st.floats(0, 1))
def test_headroom_falls_when_a_ceiling_comes_nearer(
    reached: dict[str, float], busy: float, ceiling: str, more: float
) -> None:
    before = headroom_of(reached, {"vector_busy": busy})
    after = headroom_of(
        {**reached, ceiling: reached.get(ceiling, 0.0) + more}, {"vector_busy": busy}
    )
    if before is None:
        return
    assert after is not None
    assert 0 <= after.fraction <= before.fraction <= 1
    assert before.fraction == 1 - before.reached


@settings(deadline=None)
@given(st.floats(0.01, 1), st.floats(0, 0.99))
def test_the_score_ranks_by_what_it_gains_end_to_end(reached: float, critical: float) -> None:
    headroom = headroom_of({"hbm": reached}, {})
    assert headroom is not None
    score = optimisation_score(headroom, critical)
    assert 0 <= score <= min(headroom.fraction, critical)
    assert application_speedup(headroom, critical) == pytest.approx(1 / (1 - score))
    assert headroom.kernel_speedup == pytest.approx(1 / reached)
