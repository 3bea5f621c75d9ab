"""Progress: silent for two seconds where nobody watches, then what runs, how long, how long yet."""

from __future__ import annotations

import sys
import threading

import pytest

from rocm_perf_lab.collect.rocprof.options import Step
from rocm_perf_lab.reporters import progress as module
from rocm_perf_lab.reporters.decisions.tuning import TuningLine
from rocm_perf_lab.reporters.progress import BuildProgress, Progress, RunProgress


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that stands still, and no thread that looks at it: the tests do."""
    found = Clock()
    monkeypatch.setattr(module, "time", found)
    monkeypatch.setattr(Progress, "_watch", lambda _: None)
    monkeypatch.setattr(module, "PROGRESS", Progress())
    monkeypatch.setattr("rocm_perf_lab.reporters.decisions.tuning.PROGRESS", module.PROGRESS)
    return found


def told(clock: Clock, capsys: pytest.CaptureFixture[str], *seconds: float) -> list[str]:
    for passed in seconds:
        clock.now += passed
        module.PROGRESS.tell(clock.now)
    return capsys.readouterr().err.splitlines()


def test_short_steps_are_silent(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    module.PROGRESS.doing("compiling")
    assert told(clock, capsys, 1.0, 0.9) == []
    module.PROGRESS.done()
    assert told(clock, capsys, 50.0) == []


def test_long_steps_are_told_ever_more_rarely(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    module.PROGRESS.doing("compiling")
    assert told(clock, capsys, *[1.0] * 180) == [
        f"rocm-perf: compiling, {second} s" for second in (2, 6, 18, 54, 114, 174)
    ]


def test_runs_know_what_is_left(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    runs = RunProgress(debug=False)
    runs.started(Step("run", 1, 3), ("./app",))
    assert told(clock, capsys, 2.0) == ["rocm-perf: run 1 of 3, 2 s"]
    runs.finished(Step("run", 1, 3), 10 * 10**9)
    runs.started(Step("run", 2, 3), ("./app",))
    assert told(clock, capsys, 2.0) == ["rocm-perf: run 2 of 3, 2 s, about 18 s left"]
    runs.finished(Step("run", 2, 3), 10 * 10**9)
    runs.started(Step("trace", 1, 1), ("./app",))
    assert told(clock, capsys, 2.0) == ["rocm-perf: trace, 2 s"]


def test_a_step_may_know_its_own_share(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    RunProgress(False).started(Step("measuring the roofs", 1, 1, lambda: 0.25), ("./roofs",))
    assert told(clock, capsys, 3.0) == ["rocm-perf: measuring the roofs, 3 s, about 9 s left"]


def test_a_build_tells_its_parts(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    build = BuildProgress("building the virtual ROCm")
    build.now("configure ...")
    assert told(clock, capsys, 1.0) == []
    build.now("libraries 1% ...")
    clock.now += 10.0
    build.now("libraries 25% ...")
    (line,) = told(clock, capsys, 10.0)
    assert line == "rocm-perf: building the virtual ROCm: libraries 25% ..., 20 s, about 60 s left"


def test_a_tuning_tells_its_stages(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    line = TuningLine()
    line.compiling(1, 4)
    assert told(clock, capsys, 2.0) == ["rocm-perf: compiling build 1 of 4, 2 s"]
    line.compiling(3, 4)
    assert told(clock, capsys, 4.0) == ["rocm-perf: compiling build 3 of 4, 6 s, about 6 s left"]
    line.judging(1, 48)
    assert told(clock, capsys, 2.0) == [
        "rocm-perf: the best against the default: block 1 of at most 48, 2 s"
    ]


def test_work_without_a_name_is_told_too(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with module.PROGRESS.usually("explain at work"):
        assert told(clock, capsys, 2.5) == ["rocm-perf: explain at work, 2 s"]
        module.PROGRESS.doing("run 1 of 3")
        module.PROGRESS.done()
        assert told(clock, capsys, 3.0) == ["rocm-perf: explain at work, 3 s"]
    assert told(clock, capsys, 99.0) == []


def test_on_a_terminal_one_line_is_overwritten(
    clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    module.PROGRESS.doing("run 1 of 3")
    clock.now += 4.0
    module.PROGRESS.tell(clock.now)
    module.PROGRESS.finish()
    erase = "\r\033[K"
    assert capsys.readouterr().err == f"{erase}run 1 of 3{erase}run 1 of 3, 4 s{erase}"


def test_a_real_thread_looks_at_the_clock(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    told_of = Progress()
    told_of.doing("compiling")
    assert told_of._step is not None
    told_of._step.due_s = 0.0
    deadline, shown = time.monotonic() + 30, ""
    while "compiling, 1 s" not in shown and time.monotonic() < deadline:
        time.sleep(0.05)
        shown += capsys.readouterr().err
    told_of.finish()
    assert "rocm-perf: compiling, 1 s" in shown


def test_work_that_begins_as_other_work_ends_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that tells the first may still be about to end."""
    progress, told = Progress(), threading.Event()
    monkeypatch.setattr(progress, "tell", lambda now: told.set())
    progress.doing("this")
    progress.finish()
    told.clear()
    progress.doing("that")
    assert told.wait(5)
    progress.finish()
