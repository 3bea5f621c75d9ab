"""Waves over time, from the begins and ends that a thread trace recorded."""

from __future__ import annotations

import numpy as np
import pytest

from fakes.recordings import Known
from rocm_perf_lab.analysis.thread_traces.occupancy import EngineOccupancy, wave_occupancy
from rocm_perf_lab.trace.thread_trace.model import Occupancy
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace


def occupancy(*events: tuple[int, int, int, int, int, int]) -> tuple[EngineOccupancy, ...]:
    """Of (engine, time, cu, simd, slot, begins)."""
    columns = np.array(events, dtype=np.int64).T
    return wave_occupancy(Occupancy(*columns, np.ones(len(events), dtype=np.int64)))


def test_waves_over_time() -> None:
    (found,) = occupancy(
        (0, 100, 0, 0, 0, 1), (0, 110, 0, 1, 0, 1), (0, 150, 0, 0, 0, 0), (0, 200, 0, 1, 0, 0)
    )  # fmt: skip
    assert found.times.tolist() == [100, 110, 150, 200]
    assert found.waves.tolist() == [1, 2, 1, 0]
    assert (found.peak, found.cus, found.launched, found.launch_interval) == (2, 1, 2, 10)
    assert found.mean == (10 + 80 + 50) / 100
    assert found.fraction(4) == 1.4 / 4
    assert found.binned(2).tolist() == [(10 + 80) / 50, 1.0]


def test_engines_have_times_of_their_own() -> None:
    first, second = occupancy(
        (3, 5, 0, 0, 0, 1), (3, 9, 0, 0, 0, 0), (1, 1000, 0, 0, 0, 1), (1, 1002, 0, 0, 0, 0)
    )  # fmt: skip
    assert (first.engine, first.cycles, second.engine, second.cycles) == (1, 2, 3, 4)


def test_a_wave_that_was_there_before_the_trace_counts() -> None:
    (found,) = occupancy((0, 20, 0, 0, 1, 1), (0, 30, 0, 0, 0, 0), (0, 40, 0, 0, 1, 0))
    assert found.waves.tolist() == [2, 1, 0]
    assert (found.launched, found.launch_interval) == (1, None)


def test_a_slot_that_changes_hands_at_once_is_one_wave() -> None:
    (found,) = occupancy(
        (0, 0, 0, 0, 0, 1), (0, 10, 0, 0, 0, 0), (0, 10, 0, 0, 0, 1), (0, 20, 0, 0, 0, 0)
    )  # fmt: skip
    assert found.waves.tolist() == [1, 1, 0]


def test_no_time_has_no_mean() -> None:
    (found,) = occupancy((0, 7, 0, 0, 0, 1))
    assert (found.mean, found.fraction(32), found.cycles, found.peak) == (None, None, 0, 1)
    assert found.binned(3).tolist() == [0, 0, 0]
    assert wave_occupancy(None) == ()


@pytest.mark.parametrize(("dispatch", "waves", "cus"), [(1, 36, 9), (2, 32, 8)])
def test_recorded_launches(dispatch: int, waves: int, cus: int, known: Known) -> None:
    name = f"mi300x-batched-gemm-trace/ui_output_agent_5600_dispatch_{dispatch}"
    (found,) = wave_occupancy(read_thread_trace(known(name)).occupancy)
    assert (found.launched, found.peak, found.cus) == (waves, waves, cus)
    assert found.waves[-1] == 0
    assert found.launch_interval == 4
    assert found.mean == pytest.approx(waves, rel=0.03)
