"""The live view: on a terminal, with rich, and gone before the result; plain lines otherwise."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from rocm_perf_lab.optimize.attempt import Attempt
from rocm_perf_lab.optimize.refusal import Stage
from rocm_perf_lab.reporters import live
from rocm_perf_lab.reporters.decisions.optimize import SearchProgress
from rocm_perf_lab.reporters.decisions.tuning import TuningLine
from rocm_perf_lab.reporters.progress import PROGRESS
from rocm_perf_lab.tune.measurement import Measurement

Console = pytest.importorskip("rich.console").Console


def watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def lines(view: Any, width: int = 60) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(view)
    return captured.get().splitlines()


def test_plain_lines_where_nobody_watches() -> None:
    assert isinstance(live.search_listener(), SearchProgress)
    assert isinstance(live.tuning_listener(), TuningLine)


def test_plain_lines_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    watch(monkeypatch)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert isinstance(live.search_listener(), SearchProgress)


def test_a_search(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    watch(monkeypatch)
    search = live.search_listener()
    assert isinstance(search, live.LiveSearch)
    search.doing("replay of unroll 4")
    search.attempted(Attempt("k", "unroll 4", Stage.JUDGE, "accept", "faster", speedup=1.25))
    search.attempted(Attempt("k", "unroll 8", Stage.JUDGE, "reject", "slower " * 30))
    heading, now = lines(search.view())
    assert "2 attempts: 1 accept, 1 reject; best 1.250x" in heading
    assert "replay of unroll 4, 0 s" in now
    PROGRESS.finish()
    shown = capsys.readouterr().err
    assert "unroll 4: faster" in shown
    assert "unroll 8: slower" in shown


def test_a_tuning(monkeypatch: pytest.MonkeyPatch) -> None:
    watch(monkeypatch)
    tuning = live.tuning_listener()
    assert isinstance(tuning, live.LiveTuning)
    tuning.measured(1, 40, Measurement({"TILE": 16}, "ok", 2.5), 2.5)
    tuning.measured(2, 40, Measurement({"TILE": 32}, "failed"), 2.5)
    *last, heading, bar = lines(tuning.view(), 100)
    PROGRESS.finish()
    assert "measuring configurations: 2 of 40" in heading
    assert "best so far 2.5" in heading
    assert [line.split() for line in last] == [["1", "2.5", "TILE=16"], ["2", "failed", "TILE=32"]]
    assert bar.strip()
