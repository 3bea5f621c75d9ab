"""Some figures of the calibration, pinned; `python -m benchmarks.calibration` has them all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from benchmarks.calibrate import latency, ranking, veccopy, waiting
from benchmarks.calibrate.program import Bench, bench
from benchmarks.calibrate.quantity import Quantity

from rocm_perf_lab.vrocm.prefix import ensure_prefix

pytestmark = [
    pytest.mark.native,
    pytest.mark.timeout(1200),  # the first one builds the virtual ROCm
]
QUICK_PAIRS = ("pair_copy", "pair_transpose", "pair_histogram", "pair_occupancy")


@pytest.fixture(scope="module")
def on() -> Iterator[Bench]:
    with bench(ensure_prefix(lambda step: None)) as prepared:
        yield prepared


def misses(quantities: list[Quantity]) -> list[str]:
    return [" | ".join(quantity.cells()) for quantity in quantities if not quantity.holds]


def test_a_copy_counts_and_lasts_as_recorded(on: Bench) -> None:
    section = veccopy.section(on)
    assert len(section.quantities) > 20
    assert not misses(list(section.quantities))


def test_what_waits_for_memory_waits_about_as_long_as_recorded(on: Bench) -> None:
    section = waiting.section(on)
    assert len([quantity for quantity in section.quantities if quantity.allowed]) > 20
    assert not misses(list(section.quantities))


def test_loads_have_the_published_latency_at_each_level(on: Bench) -> None:
    sizes = (16, latency.MIB, 8 * latency.MIB)
    steps = latency.staircase(on, sizes)
    assert not misses(latency.plateaus(steps))
    assert steps[16] < steps[latency.MIB] < steps[8 * latency.MIB]


@pytest.mark.parametrize("program", QUICK_PAIRS)
def test_the_known_winner_of_a_pair_wins(on: Bench, program: str) -> None:
    results = ranking.ranked(on, [program])
    assert results
    assert not [result for result in results if not result.right]


def test_the_same_run_gives_the_same_durations(on: Bench) -> None:
    first, second = (on.run("pair_histogram") for _ in range(2))
    assert [launch.duration_ns for launch in first] == [launch.duration_ns for launch in second]
