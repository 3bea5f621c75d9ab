"""Trials that several processes play: all are played, in order, up to the first failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_perf_lab.prove.oracle import play
from rocm_perf_lab.prove.oracle.play import Player, in_parts
from rocm_perf_lab.prove.oracle.scene import Scene
from rocm_perf_lab.replay.scenes import SceneRun, SceneRuns, Shape

COUNT = st.integers(1, 8)
OPTIONAL = 13  # what may fail


@given(st.lists(st.integers()), COUNT)
def test_parts_together_are_all_in_order(items: list[int], count: int) -> None:
    parts = in_parts(items, count)
    assert [one for part in parts for one in part] == items
    assert len(parts) == count
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1


@given(st.lists(st.integers(1)), COUNT)
def test_what_is_played_around_each_part_stays_around_it(items: list[int], count: int) -> None:
    around = [one for part in in_parts(items, count) for one in (0, *part, 0)]
    for part in in_parts(around, count):
        assert part[0] == part[-1] == 0
        assert 0 not in part[1:-1]


class Processes:
    """Stands in for processes that play: scenes fail that are told."""

    def __init__(self, *fails: int) -> None:
        self.fails, self.variables = fails, cast("list[dict[str, str]]", [])

    def __call__(self, *given: Any, variables: dict[str, str], **how: Any) -> SceneRuns:
        lines, folder = given[4], given[5]
        assert folder.is_dir()
        self.variables.append(variables)
        runs = []
        for number, may_fail in ((int(line.shape.grid[0]), line.may_fail) for line in lines):
            failure = "it faults" if number in self.fails else None
            runs.append(SceneRun(folder, None, 0.0, f"VROCM_CHECK: {number}", failure))
            if failure and how["stop_at_failure"] and not may_fail:
                break
        return SceneRuns(tuple(runs))


def played(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    processes: Processes,
    count: int,
    scenes: int = 20,
) -> list[tuple[str, Optional[str]]]:
    monkeypatch.setattr(play, "run_scenes", processes)
    nothing = cast(Any, None)
    staged = cast(Any, type("Staged", (), {"capture": None}))
    player = Player(staged, folder, nothing, 0, 1.0)
    shapes = [Shape((number, 1, 1), (1, 1, 1)) for number in range(scenes)]
    asked = [
        Scene(str(number), shape=shape, departures=frozenset(["odd"] if number == OPTIONAL else []))
        for number, shape in enumerate(shapes)
    ]
    found, _ = player.play(asked, None, "it", stop_at_failure=True, processes=count)
    return [(one.findings[0], one.failure) for one in found]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_first_failure_ends_the_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, count: int
) -> None:
    found = played(monkeypatch, tmp_path, Processes(6, 15), count)
    assert [number for number, _ in found] == [str(number) for number in range(7)]
    assert found[-1] == ("6", "it faults")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_all_are_played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, count: int) -> None:
    processes = Processes(OPTIONAL)
    found = played(monkeypatch, tmp_path, processes, count)
    assert [number for number, _ in found] == [str(number) for number in range(20)]
    assert len(processes.variables) == count
    assert all(("VROCM_THREADS" in one) == (count > 1) for one in processes.variables)


def test_of_no_trial_nothing_is_played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert played(monkeypatch, tmp_path, Processes(), 1, scenes=0) == []
