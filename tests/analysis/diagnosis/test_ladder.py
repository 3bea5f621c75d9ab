"""The ladder of walls, on kernels whose times are known."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Callable, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_perf_lab.analysis.diagnosis.ladder import (
    LEAST_GAIN,
    MOST_WALLS,
    Candidate,
    Freed,
    Ladder,
    TimeIsUp,
    Wall,
    climb,
)

NAMES = tuple("abcdefghijk")
Kernel = Callable[[Freed], float]


def climbed(
    kernel: Kernel,
    slow: str = "",
    most: int = MOST_WALLS,
    parts: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> tuple[Ladder, int]:
    """The ladder, and how often the kernel ran."""
    candidates = [Candidate(name, name in slow, parts.get(name, ())) for name in NAMES]
    asking = climb(candidates, most)
    measured: dict[Freed, float] = {}
    wanted = next(asking)
    while True:
        measured.update({freed: kernel(freed) for freed in wanted})
        try:
            wanted = asking.send({freed: measured[freed] for freed in wanted})
        except StopIteration as ended:
            return ended.value, len(measured)


def slowest_of(**parts: float) -> Kernel:
    """Parts that work at the same time: the one that takes longest decides."""
    return lambda freed: max((ns for name, ns in parts.items() if name not in freed), default=1.0)


def test_walls_come_in_the_order_in_which_they_decide() -> None:
    ladder, runs = climbed(slowest_of(c=100, h=55, a=41, k=30, b=29.5))
    assert ladder == Ladder(
        100, (Wall(("c",), 55), Wall(("h",), 41), Wall(("a",), 30))
    )  # b is hardly faster than k
    assert runs < 45


@pytest.mark.parametrize("found", [0, 1])
def test_what_was_found_before_the_time_was_up_is_the_ladder(found: int) -> None:
    kernel = slowest_of(c=100, h=55, a=41)
    asking = climb([Candidate(name) for name in NAMES])
    wanted = asking.send({freed: kernel(freed) for freed in next(asking)})
    while found and not all("c" in freed for freed in wanted):
        wanted = asking.send({freed: kernel(freed) for freed in wanted})
    with pytest.raises(StopIteration) as ended:
        asking.throw(TimeIsUp())
    assert ended.value.value == Ladder(100, (Wall(("c",), 55),) * found, whole=False)


def test_no_more_than_four() -> None:
    ladder, _ = climbed(slowest_of(a=100, b=80, c=60, d=40, e=20))
    assert [wall.together for wall in ladder.walls] == [("a",), ("b",), ("c",), ("d",)]


def test_a_kernel_that_nothing_makes_faster_has_none() -> None:
    ladder, runs = climbed(lambda _: 100.0)
    assert ladder == Ladder(100, ())
    assert runs == 3  # nothing free, and two halves


def test_two_that_only_together_gain_are_one_wall() -> None:
    ladder, _ = climbed(lambda freed: 60.0 if {"b", "d"} <= freed else 100.0)
    assert ladder.walls == (Wall(("b", "d"), 60),)


def test_one_that_makes_its_group_slower_hides_nobody() -> None:
    def kernel(freed: Freed) -> float:
        return (500.0 if "c" in freed else 100.0) * (0.5 if "b" in freed else 1)

    assert climbed(kernel, slow="c")[0].walls == (Wall(("b",), 50),)


def test_a_part_that_is_most_of_it_goes_before_the_whole() -> None:
    """``a`` has ``b`` in it, as the LDS has its conflicts."""

    def kernel(freed: Freed, conflicts: float) -> float:
        return 20.0 if "a" in freed else 100 - conflicts * ("b" in freed)

    parts = {"a": ("b",)}
    most, _ = climbed(lambda freed: kernel(freed, 70), parts=parts)
    assert most.walls == (Wall(("b",), 30), Wall(("a",), 20))
    few, _ = climbed(lambda freed: kernel(freed, 10), parts=parts)
    assert few.walls == (Wall(("a",), 20),)


costs = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 1000), max_size=6)


@settings(max_examples=40, deadline=None)
@given(costs, costs)
def test_the_first_wall_is_the_best_of_all(serial: dict[str, int], beside: dict[str, int]) -> None:
    """Of kernels whose parts add up, or pass at the same time."""

    def kernel(freed: Freed) -> float:
        longest = max((ns for name, ns in beside.items() if name not in freed), default=0)
        return 10.0 + longest + sum(ns for name, ns in serial.items() if name not in freed)

    ladder, _ = climbed(kernel)
    before, freed = kernel(frozenset()), frozenset[str]()
    for wall in ladder.walls:
        best: Optional[float] = min(kernel(freed | {name}) for name in NAMES if name not in freed)
        freed |= set(wall.together)
        assert wall.ns == kernel(freed)
        assert wall.ns <= (1 - LEAST_GAIN) * before
        assert wall.ns == best or len(wall.together) > 1
        before = wall.ns


@pytest.mark.parametrize("most", [0, 1, 2])
def test_as_many_as_wanted(most: int) -> None:
    ladder, _ = climbed(slowest_of(a=100, b=80, c=60), most=most)
    assert len(ladder.walls) == most
