"""What loads wait for: the way to the data and back, or others before them in the line."""

from __future__ import annotations

import pytest

from rocm_perf_lab.analysis.verdicts.launch_floor import LoadLatencies, load_latencies
from rocm_perf_lab.analysis.verdicts.waiting import way_and_line

IDLE = LoadLatencies(l1=100.0, l2=200.0, memory=800.0)
TRACED = {
    "load_latency": 1000.0,
    "lines_per_access": 2.0,
    "requests_per_access": 1.0,
    "l1_hits": 0.5,
    "l2_hits": 0.5,
    "traced_vector": 0.7,
    "memory_queue": 0.1,
    "traced_memory": 0.65,
}


def test_a_load_that_takes_longer_than_in_an_idle_system_stands_in_line() -> None:
    """300 of 1000 cycles are the way; what stalls before it is issued is line, too."""
    found = way_and_line(TRACED, IDLE)
    assert found["traced_way"] == pytest.approx(0.6 * 0.3 + 0.05)  # 0.05 for scalar loads
    assert found["traced_line"] == pytest.approx(0.6 * 0.7 + 0.1)


def test_a_wave_goes_on_when_the_last_of_its_lines_is_there() -> None:
    """Of 64 lines hardly ever all are found; of 4 more often, which is what neighbours save."""
    apart = {**TRACED, "lines_per_access": 64.0, "requests_per_access": 32.0}
    found = way_and_line(apart, IDLE)
    assert found["traced_way"] == pytest.approx(0.6 * 0.8 + 0.05)
    beside = 0.25 * 100 + 0.75 * (0.25 * 200 + 0.75 * 800)
    assert found["traced_apart"] == pytest.approx(0.1 * (1 - 4 / 64) + 0.6 * (1 - beside / 1000))


def test_a_load_is_never_faster_than_its_way() -> None:
    found = way_and_line({**TRACED, "load_latency": 90.0}, IDLE)
    assert found["traced_line"] == pytest.approx(0.1)


@pytest.mark.parametrize("missing", ["load_latency", "lines_per_access", "traced_vector"])
def test_what_nobody_knows_is_not_claimed(missing: str) -> None:
    known = {name: value for name, value in TRACED.items() if name != missing}
    assert way_and_line(known, IDLE) == {}
    assert way_and_line(TRACED, None) == {}


def test_latencies_are_known_for_the_modelled_device() -> None:
    known = load_latencies("gfx942")
    assert known is not None
    assert known.l1 < known.l2 < known.memory
    assert load_latencies("gfx1100") is None
