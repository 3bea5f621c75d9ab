"""What a compute unit has is the target's: the same kernel is judged by it."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.verdicts.advice import bounds, expected
from rocm_perf_lab.analysis.verdicts.advice import expected_launches as launches
from rocm_perf_lab.analysis.verdicts.compute_unit import compute_unit_of
from rocm_perf_lab.arch.target import load_target

_ALONE = {"vector_busy": 0.2, "wait_share": 0.0, "flop_share": 0.0, "occupancy": 0.2}
_PRODUCTS = {"products": 0.8, "wait_share": 0.0, "vector_busy": 0.5}


def _of(name: str) -> dict[str, float]:
    unit = compute_unit_of(load_target(name))
    assert unit is not None
    return {"simds": float(unit.simds), "slots_per_simd": float(unit.slots_per_simd)}


@pytest.mark.parametrize(
    ("name", "slots", "double", "single", "narrow"),
    [
        ("gfx90a", 32, 2.0, 2.0, 4.0),
        ("gfx942", 32, 2.0, 2.0, 8.0),
        ("gfx950", 32, 1.0, 2.0, 16.0),
        ("gfx1100", 32, 0.0, 0.0, 1.0),
    ],
)
def test_matrix_units_are_as_fast_as_the_target_has_them(
    name: str, slots: int, double: float, single: float, narrow: float
) -> None:
    unit = compute_unit_of(load_target(name))
    assert unit is not None
    assert unit.wave_slots == slots
    rates = (unit.matrix_rate_double, unit.matrix_rate_single, unit.matrix_rate_narrow)
    assert rates == (double, single, narrow)


def test_of_an_unknown_target_nothing_is_known() -> None:
    assert compute_unit_of(None) is None


def test_the_same_occupancy_is_more_waves_on_a_simd_that_has_more_slots() -> None:
    """1.6 waves on a SIMD of gfx942, each nearly for itself; 3.2 on one of gfx1100."""
    few = expected.half_the_work({**_ALONE, **_of("gfx942")})
    more = expected.half_the_work({**_ALONE, **_of("gfx1100")})
    assert few == pytest.approx(1 / (1 - 0.5 * (1 - 0.96 * 0.8)))
    assert more == pytest.approx(1 / (1 - 0.5 * (1 - 0.32 * 0.8)))


def test_waves_of_a_workgroup_share_the_simds_that_there_are() -> None:
    small = {"workgroups_per_cu": 0.1, "accesses_per_wave": 2.0, "alike": 4.0}
    small.update(waves=512.0, workgroups=64.0)
    assert launches.filled_device({**small, **_of("gfx942")}) == pytest.approx(2.0)
    assert launches.filled_device({**small, **_of("gfx1100")}) == pytest.approx(4.0)


def test_no_matrix_units_are_advised_to_a_device_that_has_none_for_the_type() -> None:
    assert bounds.in_matrix_units({**_PRODUCTS, "matrix_rate": 0.0}) == 1.0
    assert (bounds.in_matrix_units({**_PRODUCTS, "matrix_rate": 2.0}) or 0.0) > 1.0


def test_faster_matrix_units_are_expected_to_gain_more() -> None:
    twice = expected.in_matrix_units({**_PRODUCTS, "matrix_rate": 2.0})
    eight = expected.in_matrix_units({**_PRODUCTS, "matrix_rate": 8.0})
    assert twice == pytest.approx(1 / (1 - 0.8 / 2))
    assert eight == pytest.approx(1 / (1 - 0.8 * 7 / 8))
