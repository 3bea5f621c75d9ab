"""Measuring without a terminal: the same results as the verbs, and not a word on stdout."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.collect.rocprof.options import Step
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.measure.examine import examine, explain
from rocm_perf_lab.measure.live import Application
from rocm_perf_lab.measure.profile import profile
from rocm_perf_lab.measure.request import (
    ExplainRequest,
    KnownCeilings,
    ProfileRequest,
    Recordings,
)
from rocm_perf_lab.reporters.json_document import to_json

ROOM = Path(__file__).resolve().parents[2] / "src" / "rocm_perf_lab" / "measure"
HELLO = (sys.executable, "-c", "print('hello from the application')")


class Heard:
    """A progress that remembers."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, Step]] = []

    def started(self, step: Step, command: tuple[str, ...]) -> None:
        self.steps.append(("started", step))

    def finished(self, step: Step, wall_ns: int) -> None:
        self.steps.append(("finished", step))


def test_a_request_gives_what_the_verb_prints(
    fake_rocm: FakeRocm, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    profile(ProfileRequest(Application(HELLO, rocm=fake_rocm.path, runs=2, keep=kept)))
    assert capfd.readouterr().out == "", "the application's own words go to stderr"
    measured = profile(ProfileRequest(Recordings((kept,)), critical_path=True)).profile
    assert main(["profile", "--json", "--critical-path", "--from", str(kept)]) == 0
    assert json.loads(to_json(measured)) == json.loads(capfd.readouterr().out)
    found = explain(ExplainRequest(Recordings((kept,))))
    assert main(["explain", "--json", "--from", str(kept)]) == 0
    assert json.loads(to_json(found)) == json.loads(capfd.readouterr().out)


def test_the_graph_behind_the_path_is_there_when_a_path_was_asked_for(
    fake_rocm: FakeRocm, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    application = Application(HELLO, rocm=fake_rocm.path, runs=1, keep=kept)
    assert profile(ProfileRequest(application)).path is None
    again = profile(ProfileRequest(Recordings((kept,)), critical_path=True))
    assert again.path is not None
    assert again.profile.critical_path is not None
    assert again.path.path.span_ns == again.profile.critical_path.span_ns


def test_progress_is_told_to_who_asks(fake_rocm: FakeRocm) -> None:
    heard = Heard()
    profile(ProfileRequest(Application(HELLO, fake_rocm.path, runs=2, warmup=1, progress=heard)))
    told = [(what, step.label, step.position) for what, step in heard.steps]
    starts = [("warm-up", 1), ("run", 1), ("run", 2)]
    assert told == [(what, *step) for step in starts for what in ("started", "finished")]


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_a_ceiling_of_nothing_is_refused_before_anything_runs(value: float) -> None:
    with pytest.raises(UsageError, match=f"--clock-mhz {value:g} is no ceiling") as caught:
        KnownCeilings(clock_mhz=value)
    assert caught.value.next_step == "give a number above 0"
    with pytest.raises(UsageError, match="--memory-bandwidth-gbps"):
        KnownCeilings(bandwidth_gbps=value)


def test_a_low_ceiling_is_one() -> None:
    assert KnownCeilings(0.5, 0.5).clock_mhz == 0.5


def test_what_was_examined_has_its_runs_beside_the_documents(
    fake_rocm: FakeRocm, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    profile(ProfileRequest(Application(HELLO, rocm=fake_rocm.path, runs=2, keep=kept)))
    found = examine(ExplainRequest(Recordings((kept,))))
    assert [len(trace.dispatches) for trace in found.runs] == [3, 3]
    assert len(found.everything.dispatches) == 6
    assert found.path is not None


def test_the_room_reads_no_command_line_and_prints_nothing() -> None:
    for path in sorted(ROOM.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert not {"argparse", "sys"} & {alias.name for alias in node.names}, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("print", "input"), path
