"""Some figures of the calibration, pinned; `python -m benchmarks.calibration` has them all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Callable

import pytest
from benchmarks.calibrate import gemm, latency, published, ranking, rates, veccopy, waiting
from benchmarks.calibrate.limits import Group, Kind
from benchmarks.calibrate.program import Bench, bench
from benchmarks.calibrate.quantity import Quantity, Section, score

from rocm_perf_lab.vrocm.prefix import ensure_prefix

pytestmark = [
    pytest.mark.native,
    pytest.mark.timeout(1200),  # the first one builds the virtual ROCm
]
LEAST_HELD = {"Batched GEMM": 32, "Waiting": 32, "Arithmetic": 17}  # what holds today
LARGE = "pair_yax"  # takes as long as all other pairs together
MOST_WRONG_OF_SMALL = 2
LEAST_PUBLISHED = 41  # of 47; 44 are wanted


@pytest.fixture(scope="module")
def on() -> Iterator[Bench]:
    with bench(ensure_prefix(lambda step: None)) as prepared:
        yield prepared


def misses(quantities: list[Quantity]) -> list[str]:
    return [" | ".join(quantity.cells()) for quantity in quantities if not quantity.holds]


def of(section: Section, *groups: Group) -> list[Quantity]:
    return [quantity for quantity in section.quantities if quantity.group in groups]


def test_a_copy_counts_and_lasts_as_recorded(on: Bench) -> None:
    section = veccopy.section(on)
    assert len(section.quantities) > 20
    assert not misses(of(section, Group.BY_CONSTRUCTION, Group.PREDICTED))
    assert not misses([row for row in section.quantities if row.kind is Kind.DURATION])


def test_products_count_as_recorded(on: Bench) -> None:
    section, _ = gemm.section(on)
    assert not misses(of(section, Group.BY_CONSTRUCTION))
    assert score(section.quantities).held >= LEAST_HELD[section.title]


@pytest.mark.parametrize("table", [waiting.section, rates.section])
def test_no_fewer_figures_hold_than_today(on: Bench, table: Callable[[Bench], Section]) -> None:
    section = table(on)
    held = score(section.quantities).held
    assert held >= LEAST_HELD[section.title], misses(list(section.quantities))


def test_published_timings_of_real_chips_hold(on: Bench) -> None:
    section = published.section(on)
    assert score(section.quantities).held >= LEAST_PUBLISHED, misses(list(section.quantities))


def test_matrix_instructions_take_the_published_cycles(on: Bench) -> None:
    assert not misses(of(rates.section(on), Group.REPRODUCED))


def test_loads_have_the_published_latency_at_each_level(on: Bench) -> None:
    sizes = (16, latency.MIB, 8 * latency.MIB)
    steps = latency.staircase(on, sizes)
    assert not misses(latency.plateaus(steps))
    assert steps[16] < steps[latency.MIB] < steps[8 * latency.MIB]


def wrong(results: list[ranking.Ranked]) -> list[str]:
    return [f"{r.pair.what}: {r.speed_up:.2f}x" for r in results if not r.right]


def test_as_many_pairs_of_small_programs_are_ranked_right_as_today(on: Bench) -> None:
    small = [program for program in ranking.PAIRS if program != LARGE]
    results = [*ranking.ranked(on, small), gemm.section(on)[1]]
    assert len(results) == 13
    assert len(wrong(results)) <= MOST_WRONG_OF_SMALL, wrong(results)


@pytest.mark.weekly
def test_as_many_pairs_are_ranked_right_as_today(on: Bench) -> None:
    results = [*ranking.ranked(on), gemm.section(on)[1]]
    assert len(results) == 19
    assert len(results) - len(wrong(results)) >= ranking.LEAST_RIGHT, wrong(results)


def test_the_same_run_gives_the_same_durations(on: Bench) -> None:
    first, second = (on.run_again("pair_histogram") for _ in range(2))
    assert [launch.duration_ns for launch in first] == [launch.duration_ns for launch in second]
