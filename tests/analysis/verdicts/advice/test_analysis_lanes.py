"""What lanes cost that do nothing."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.verdicts.advice import expected_lanes


def test_lanes_that_do_nothing_cost_what_units_work_for_them() -> None:
    works = {"vector_busy": 0.8, "lane_fill": 0.5, "lanes_of_filled": 0.25}
    assert expected_lanes.full_waves(works) == pytest.approx(1 / 0.6)
    assert expected_lanes.same_way(works) == pytest.approx(1 / 0.4)
    through_lds = {**works, "vector_busy": 0.2, "lds_busy": 0.8}
    assert expected_lanes.full_waves(through_lds) == pytest.approx(1 / 0.6)
    waits = {**works, "vector_busy": 0.1, "wait_share": 0.9}  # as long in full waves
    assert expected_lanes.full_waves(waits) == pytest.approx(1 / 0.95)
    assert expected_lanes.same_way({"vector_busy": 0.8}) is None
