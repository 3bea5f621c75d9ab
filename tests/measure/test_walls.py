"""The application runs again for the ladder of walls: with what, and what becomes of failures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional, cast

import numpy as np
import pytest

from rocm_perf_lab.analysis.diagnosis.ladder import Ladder, Wall
from rocm_perf_lab.analysis.documents.analysis import Missing
from rocm_perf_lab.arch.ideal import load_mechanisms
from rocm_perf_lab.collect.rocprof.options import SILENT, Progress, Step
from rocm_perf_lab.collect.rocprof.run import Recorder, Run
from rocm_perf_lab.errors import ApplicationFailed
from rocm_perf_lab.measure import walls
from rocm_perf_lab.trace.model import Agent, Dispatches, Kernel, Process, Trace

KERNEL = "transpose(float*)"
USUAL = "AMD Instinct MI300X (virtual)"
Costs = Callable[[frozenset[str]], int]


def trace(ns: int, product: str = USUAL, kernel: str = KERNEL) -> Trace:
    """Two launches, the second one twice as long as the first."""
    columns = {"start": [0, 10**6], "end": [2 * ns // 3, 10**6 + 4 * ns // 3]}
    columns |= {"kernel": [0, 0], "agent": [0, 0], "process": [0, 0], "dispatch_id": [1, 2]}
    return Trace(
        source="test",
        processes=(Process("guid", 1, "./app", "somewhere", "a.db"),),
        agents=(Agent(0, 7, "GPU", "gfx942", product, 0),),
        kernels=(Kernel(0, 1, kernel, None),),
        dispatches=Dispatches(**{name: np.array(column) for name, column in columns.items()}),
    )


@dataclass
class FakeRecorder:
    """A device that knows what its kernel costs."""

    space: Path
    costs: Costs
    kernel: str = KERNEL
    knows: bool = True
    environments: list[Mapping[str, str]] = field(default_factory=list)
    environment: Mapping[str, str] = field(default_factory=dict)

    def with_environment(self, added: Mapping[str, str], _progress: Progress) -> FakeRecorder:
        self.environments.append(added)
        return FakeRecorder(self.space, self.costs, self.kernel, self.knows, environment=added)

    def record_traces(self, step: Step) -> Run:
        folder = self.space / step.label
        folder.mkdir()
        free = frozenset(filter(None, self.environment["VROCM_IDEAL"].split(",")))
        said = f"{USUAL[:-1]}, free: {', '.join(free)})" if free and self.knows else USUAL
        found = trace(self.costs(free), said, self.kernel)
        return Run(1, (folder / "results.db",), found, 1, "")


def found_by(recorder: FakeRecorder, shown: Optional[Trace] = None) -> Any:
    return walls.walls_of(cast(Recorder, recorder), KERNEL, shown or trace(900), SILENT)


def conflicts_then_launch(free: frozenset[str]) -> int:
    return (
        300
        + 300 * ("lds-conflicts" not in free and "lds" not in free)
        + 900 * ("launch" not in free)
    )


def test_a_ladder_of_the_mean_launch_and_nothing_is_left_behind(tmp_path: Path) -> None:
    recorder = FakeRecorder(tmp_path, conflicts_then_launch)
    assert found_by(recorder) == Ladder(
        1500, (Wall(("launch",), 600), Wall(("lds-conflicts",), 300))
    )
    assert recorder.environments[0] == {"VROCM_IDEAL": "", "VROCM_NOISE": ""}
    asked = [made["VROCM_IDEAL"] for made in recorder.environments]
    assert len(asked) == len(set(asked)) < 60, "nothing is measured twice"
    known = set(load_mechanisms())
    assert all(set(filter(None, free.split(","))) <= known for free in asked)
    assert not list(tmp_path.iterdir())


def test_a_gpu_has_no_mechanism_that_can_be_free(tmp_path: Path) -> None:
    recorder = FakeRecorder(tmp_path, conflicts_then_launch)
    found = found_by(recorder, trace(900, "AMD Instinct MI300X"))
    assert found == walls.NEEDS_VIRTUAL
    assert not recorder.environments


def test_a_device_that_does_not_know_the_variable_has_no_walls_either(tmp_path: Path) -> None:
    found = found_by(FakeRecorder(tmp_path, conflicts_then_launch, knows=False))
    assert found == Missing(
        "the virtual device of this prefix does not know VROCM_IDEAL",
        "build it anew: rocm-perf vrocm path",
    )


def test_an_application_that_does_something_else_each_time(tmp_path: Path) -> None:
    found = found_by(FakeRecorder(tmp_path, conflicts_then_launch, kernel="other"))
    assert isinstance(found, Missing)
    assert found.reason == f"with nothing free the application did not launch {KERNEL}"


def test_an_application_that_fails_is_no_wall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = FakeRecorder(tmp_path, conflicts_then_launch)

    def fails(_recorder: FakeRecorder, _step: Step) -> Run:
        raise ApplicationFailed("it ended with 3", "look at it")

    monkeypatch.setattr(FakeRecorder, "record_traces", fails)
    assert found_by(recorder) == Missing("it ended with 3", "look at it")
