"""What runs again for the ladder of walls: a replay of one launch, or the application."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional, cast

import numpy as np
import pytest

from rocm_perf_lab.analysis.diagnosis.ladder import Climbed, Freed, Ladder, Place, Wall
from rocm_perf_lab.analysis.documents.analysis import Missing
from rocm_perf_lab.arch.ideal import load_mechanisms
from rocm_perf_lab.collect.rocprof.options import SILENT, Progress, Step
from rocm_perf_lab.collect.rocprof.run import Recorder, Run
from rocm_perf_lab.errors import ApplicationFailed, CaptureRefused
from rocm_perf_lab.measure.walls import climbing, replayed, walls
from rocm_perf_lab.measure.walls.walls import Subject, walls_of
from rocm_perf_lab.replay.plan import ReplayOptions
from rocm_perf_lab.trace.model import Agent, Dispatches, Kernel, Process, Trace

KERNEL = "transpose(float*)"
USUAL = "AMD Instinct MI300X (virtual)"
Costs = Callable[[frozenset[str]], int]


def trace(ns: int, product: str = USUAL, kernel: str = KERNEL) -> Trace:
    """Two launches, the second one twice as long as the first."""
    columns = {"start": [0, 10**6], "end": [2 * ns // 3, 10**6 + 4 * ns // 3]}
    columns |= {"kernel": [0, 0], "agent": [0, 0], "process": [0, 0], "dispatch_id": [1, 2]}
    columns |= {"lds": [0, 0], "scratch": [0, 0]}
    shape = {"grid": [[64, 1, 1]] * 2, "block": [[64, 1, 1]] * 2}
    return Trace(
        source="test",
        processes=(Process("guid", 1, "./app", "somewhere", "a.db"),),
        agents=(Agent(0, 7, "GPU", "gfx942", product, 0),),
        kernels=(Kernel(0, 1, kernel, None),),
        dispatches=Dispatches(
            **{name: np.array(column) for name, column in {**columns, **shape}.items()}
        ),
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


def subject(recorder: FakeRecorder, shown: Optional[Trace] = None, **more: Any) -> Subject:
    prefix = cast(Any, None)
    return Subject(
        ("./app",), prefix, KERNEL, shown or trace(900), recorder.space,
        lambda: cast(Recorder, recorder), 0.1, **more,
    )  # fmt: skip


def found_by(recorder: FakeRecorder, shown: Optional[Trace] = None) -> Any:
    return walls_of(subject(recorder, shown), SILENT)


@pytest.fixture
def no_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any) -> None:
        raise CaptureRefused("it waits for the host")

    monkeypatch.setattr(walls, "captured", refuses)


def conflicts_then_launch(free: frozenset[str]) -> int:
    return (
        300
        + 300 * ("lds-conflicts" not in free and "lds" not in free)
        + 900 * ("launch" not in free)
    )


LADDER = Ladder(1500, (Wall(("launch",), 600), Wall(("lds-conflicts",), 300)))


@pytest.mark.usefixtures("no_capture")
def test_a_ladder_of_the_mean_launch_and_nothing_is_left_behind(tmp_path: Path) -> None:
    recorder = FakeRecorder(tmp_path, conflicts_then_launch)
    assert found_by(recorder) == Climbed(LADDER)
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


@pytest.mark.usefixtures("no_capture")
def test_a_device_that_does_not_know_the_variable_has_no_walls_either(tmp_path: Path) -> None:
    found = found_by(FakeRecorder(tmp_path, conflicts_then_launch, knows=False))
    assert found == Missing(
        "the virtual device of this prefix does not know VROCM_IDEAL",
        "build it anew: rocm-perf vrocm path",
    )


@pytest.mark.usefixtures("no_capture")
def test_an_application_that_does_something_else_each_time(tmp_path: Path) -> None:
    found = found_by(FakeRecorder(tmp_path, conflicts_then_launch, kernel="other"))
    assert isinstance(found, Missing)
    assert found.reason == f"with nothing free the application did not launch {KERNEL}"


@pytest.mark.usefixtures("no_capture")
def test_an_application_that_fails_is_no_wall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = FakeRecorder(tmp_path, conflicts_then_launch)

    def fails(_recorder: FakeRecorder, _step: Step) -> Run:
        raise ApplicationFailed("it ended with 3", "look at it")

    monkeypatch.setattr(FakeRecorder, "record_traces", fails)
    assert found_by(recorder) == Missing("it ended with 3", "look at it")


@pytest.mark.usefixtures("no_capture")
def test_an_application_that_is_too_long_is_left_to_who_asks_for_it(tmp_path: Path) -> None:
    recorder = FakeRecorder(tmp_path, conflicts_then_launch)
    found = walls_of(subject(recorder), SILENT, seconds=1.0)
    assert found == Missing(
        "the launch cannot be replayed alone: it waits for the host", walls.ALL_THE_TIME
    )
    assert not recorder.environments


@dataclass(frozen=True)
class FakeSample:
    samples_ns: tuple[float, ...]


@dataclass(frozen=True)
class FakeAgent:
    product: str


@dataclass(frozen=True)
class FakeResult:
    variants: tuple[FakeSample, ...]
    agent: FakeAgent


@dataclass
class FakeReplays:
    """A launch whose first time is colder than its second one; its conflicts sit on a line."""

    costs: Costs
    cold: float = 1.5
    asked: list[tuple[ReplayOptions, Mapping[str, str]]] = field(default_factory=list)

    def __call__(
        self, _capture: Any, _prefix: Any, options: ReplayOptions, _code: Any = (),
        *, variables: Mapping[str, str],
    ) -> FakeResult:  # fmt: skip
        self.asked.append((options, variables))
        free: Freed = frozenset(filter(None, variables["VROCM_IDEAL"].split(",")))
        if variables.get("VROCM_IDEAL_AT") == "app.hip:7":
            free |= {"lds"}
        ns = float(self.costs(free))
        total = options.warmup + options.iterations
        samples = [ns * self.cold, *[ns] * (total - 1)][options.warmup :]
        said = f"{USUAL[:-1]}, free: {len(free)})" if free else USUAL
        return FakeResult((FakeSample(tuple(samples)),), FakeAgent(said))


@pytest.fixture
def replays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeReplays:
    made = FakeReplays(conflicts_then_launch)
    capture = type("FakeCapture", (), {"folder": tmp_path / "capture"})()
    monkeypatch.setattr(walls, "captured", lambda *_: capture)
    monkeypatch.setattr(replayed, "refuse_unsupported", lambda *_, **__: None)
    monkeypatch.setattr(replayed, "variant_code", lambda *_: None)
    monkeypatch.setattr(replayed, "run_replayer", made)
    return made


def test_a_launch_is_replayed_as_warm_as_it_was(tmp_path: Path, replays: FakeReplays) -> None:
    recorder = FakeRecorder(tmp_path, conflicts_then_launch)
    shown = trace(2250)  # launches of 1500 and 3000 ns
    assert walls_of(subject(recorder, shown), SILENT) == Climbed(LADDER, launch=1)
    assert not recorder.environments, "the application does not run again"
    assert {options.warmup for options, _ in replays.asked[1:]} == {1}
    replays.asked.clear()
    cold = walls_of(subject(recorder, trace(3375)), SILENT)  # 2250 and 4500
    assert isinstance(cold, Climbed)
    assert cold.ladder.now_ns == 2250
    assert {options.warmup for options, _ in replays.asked[1:]} == {0}


@pytest.mark.usefixtures("replays")
def test_a_replay_that_takes_another_time_is_not_taken(tmp_path: Path) -> None:
    recorder = FakeRecorder(tmp_path, conflicts_then_launch)
    found = walls_of(subject(recorder, trace(1200)), SILENT)  # 800 and 1600
    assert found == Climbed(LADDER)
    assert recorder.environments


def test_the_line_that_the_first_wall_goes_with(tmp_path: Path, replays: FakeReplays) -> None:
    recorder = FakeRecorder(tmp_path, conflicts_then_launch)
    replays.costs = lambda free: 300 + 900 * free.isdisjoint(CONFLICTS)
    lines = ("b,c.hip:1", "app.hip:6", "app.hip:7")
    found = walls_of(subject(recorder, trace(1800), lines=lines), SILENT)
    assert found == Climbed(
        Ladder(1200, (Wall(("lds-conflicts",), 300),)), 1, Place("app.hip:7", 1.0)
    )


CONFLICTS = frozenset({"lds-conflicts", "lds"})


def test_nothing_is_begun_when_it_would_not_end_in_time() -> None:
    now = [0.0]

    def measure(free: Freed, _number: int, _progress: Progress) -> float:
        now[0] += 1.0
        return conflicts_then_launch(free)

    found = climbing.ladder_of(measure, SILENT, 9.0, clock=lambda: now[0])
    assert found.now_ns == 1500
    assert not found.whole
    assert now[0] <= 9.0
    said = climbing.found_in_time(Ladder(1500, (), whole=False), 9.0, "wait")
    assert said == Missing("no mechanism was found within 9 s", "wait")
