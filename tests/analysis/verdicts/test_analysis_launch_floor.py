"""The least that a launch takes: known for the MI300X, more where launches wait for each other."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.verdicts.launch_floor import atomic_turn_ns, launch_floor_ns
from rocm_perf_lab.arch.model import load_timing_model


@pytest.mark.parametrize(
    ("launches", "busy", "waits"),
    [(100, 0.95, True), (100, 0.5, False), (1, 1.0, False), (100, None, False)],
)
def test_launches_that_wait_for_each_other_take_longer(
    launches: int, busy: float, waits: bool
) -> None:
    model = load_timing_model("gfx942")
    alone = model.value("launch_ns") + model.value("retire_ns")
    found = launch_floor_ns("gfx942", launches, busy)
    assert found == alone + (model.value("hand_over_ns") if waits else 0)


@pytest.mark.parametrize("target", ["gfx90a", "gfx1100", None])
def test_nothing_is_invented_for_other_targets(target: str) -> None:
    assert launch_floor_ns(target, 100, 0.95) is None
    assert atomic_turn_ns(target) is None


def test_one_address_takes_an_atomic_every_nine_nanoseconds() -> None:
    """Recorded: 0.1121 additions to one address per ns, from 4 to 228 waves."""
    turn = atomic_turn_ns("gfx942")
    assert turn is not None
    assert 1.0 / turn == pytest.approx(0.1121, rel=0.01)
