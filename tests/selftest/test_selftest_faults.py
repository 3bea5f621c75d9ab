"""Faults that were put into a prefix are named as the step that fails, with the right cause."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from fakes.fake_rocm import FakeRocm
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.selftest.result import Selftest, StepResult
from rocm_perf_lab.selftest.run import Runner
from rocm_perf_lab.selftest.steps import chosen
from rocm_perf_lab.selftest.work import SILENT, SelftestRequest, prepare, selftest

Broken = Callable[[str, str], Path]
SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "selftest-1.0.json"
native = pytest.mark.native
RECORDS = 'case " $* " in *" -- "*) {fault};; *) exec "$real" "$@";; esac'


def steps_of(found: Selftest) -> dict[str, StepResult]:
    return {step.name: step for step in found.steps}


def report_on(prefix: Path, work: Path) -> dict[str, StepResult]:
    return steps_of(selftest(SelftestRequest(prefix, ["report"], work)))


@native
def test_four_steps_hold_on_the_virtual_device(
    virtual_rocm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["selftest", "--rocm", str(virtual_rocm), "--only", "report", "--json"]
    assert main([*words, "--keep", str(tmp_path / "work")]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    steps = {step["name"]: step["status"] for step in document["steps"]}
    names = ("examples", "build pipeline", "profile", "report")
    assert steps == dict.fromkeys(names, "holds")
    assert (document["rocm_kind"], document["target"]) == ("virtual", "gfx942")
    assert (tmp_path / "work" / "results" / "profile.json").is_file()


@native
def test_a_profiler_that_writes_nothing(broken: Broken, tmp_path: Path) -> None:
    steps = report_on(broken("rocprofv3", RECORDS.format(fault="exit 0")), tmp_path / "work")
    assert steps["build pipeline"].status == "holds"
    assert steps["profile"].status == "fails"
    assert "recorded" in (steps["profile"].reason or "")
    assert "exit code 5" in (steps["profile"].reason or "")
    assert steps["profile"].next_step
    assert (steps["report"].status, steps["report"].reason) == (
        "not run",
        "it needs the step 'profile'",
    )


@native
def test_a_compiler_that_fails(broken: Broken, tmp_path: Path) -> None:
    fault = "echo 'hipcc: error: no such target' >&2; exit 1"
    steps = report_on(broken("hipcc", fault), tmp_path / "work")
    failed = steps["build pipeline"]
    assert (failed.status, failed.reason) == ("fails", "exit code 1: hipcc: error: no such target")
    assert "no such target" in Path(failed.log or "").read_text()
    assert steps["profile"].status == "not run"


@native
def test_a_verb_that_is_killed(broken: Broken, tmp_path: Path) -> None:
    fault = RECORDS.format(fault="kill -9 $PPID; sleep 1")
    steps = report_on(broken("rocprofv3", fault), tmp_path / "work")
    assert steps["profile"].status == "fails"
    assert steps["profile"].reason == "it was ended by signal 9 (SIGKILL)"


@native
def test_a_profiler_that_hangs(broken: Broken, tmp_path: Path) -> None:
    prefix = find_prefix(broken("rocprofv3", RECORDS.format(fault="exec sleep 600")))
    prepare(tmp_path)
    steps = [
        replace(step, seconds=4) if step.name == "profile" else step for step in chosen(["report"])
    ]
    results = Runner(prefix, "gfx942", tmp_path, SILENT).run(steps)
    assert results[2].reason == "it did not end within 4 s"
    assert [result.status for result in results] == ["holds", "holds", "fails", "not run"]


@native
def test_a_profiler_that_loses_launches(broken: Broken, tmp_path: Path) -> None:
    """It records another program: everything looks well but for what is in the document."""
    other = tmp_path / "other.hip"
    other.write_text(
        "#include <hip/hip_runtime.h>\n__global__ void series() {}\n"
        "int main() { series<<<1, 64>>>(); return hipDeviceSynchronize(); }\n"
    )
    script = tmp_path / "again.py"
    script.write_text(
        "import os, subprocess, sys\n"
        "real, words = sys.argv[1], sys.argv[2:]\n"
        "if '--' in words:\n"
        f"    words = [*words[:words.index('--')], '--', {str(tmp_path / 'other')!r}]\n"
        "os.execv(real, [real, *words])\n"
    )
    prefix = broken("rocprofv3", f'exec python3 {script} "$real" "$@"')
    subprocess.run(
        [str(prefix / "bin" / "hipcc"), str(other), "-o", str(tmp_path / "other")], check=True
    )
    steps = report_on(prefix, tmp_path / "work")
    assert steps["profile"].status == "fails"
    assert "launches recorded: series 1; expected: " in (steps["profile"].reason or "")


@native
def test_a_decoder_that_is_absent_is_not_here_and_counters_that_crash_fail(
    broken: Broken, tmp_path: Path
) -> None:
    fault = (
        'case " $* " in *" --att "*) echo "rocprof-trace-decoder library path not found" >&2; '
        'exit 1;; *" --pmc "*) echo broken >&2; exit 1;; *) exec "$real" "$@";; esac'
    )
    prefix = find_prefix(broken("rocprofv3", fault))
    prepare(tmp_path)
    wanted = ("examples", "build vector_add", "counters", "thread trace")
    steps = [step for step in chosen([]) if step.name in wanted]
    _, _, counters, trace = Runner(prefix, "gfx942", tmp_path, SILENT).run(steps)
    assert (counters.status, trace.status) == ("fails", "not here"), trace.reason
    assert "has no roofline: the application failed" in (counters.reason or "")
    assert trace.next_step


def test_no_device_is_an_error(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["selftest", "--rocm", str(fake_rocm.path)]) == 3
    said = capsys.readouterr()
    assert "no GPU to try" in said.err
    assert said.out == ""
    assert main(["selftest", "--rocm", str(tmp_path / "nowhere")]) == 3


def test_steps_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "--list", "--only", "replay"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "Result: 4 steps"
    assert any(line.startswith("replay  ") for line in lines)
    assert any(line.startswith("Not tried: mcp") for line in lines)
    assert main(["selftest", "--list", "--only", "rpelay"]) == 2


def test_the_page_names_what_fails_and_where_its_words_are(
    fake_rocm: FakeRocm, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    fake_rocm.add_gpu()  # its hipcc says that all is well, and writes nothing
    work = tmp_path / "work"
    words = ["selftest", "--rocm", str(fake_rocm.path), "--only", "skill", "report"]
    assert main([*words, "--keep", str(work)]) == 1
    shown = capsys.readouterr().out
    assert "[fails]    build pipeline: " in shown
    assert "pipeline was not written" in shown
    assert f"{work}/logs/build-pipeline" in shown
    assert "[not run]  profile: " in shown
    last = shown.splitlines()[-1]
    assert last == "Result: 2 of 5 steps hold, 1 fails, first build pipeline, 2 not run"
    assert main([*words, "--keep", str(work)]) == 2  # in use


def test_work_is_kept_only_where_something_fails(
    fake_rocm: FakeRocm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_rocm.add_gpu()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    found = selftest(SelftestRequest(fake_rocm.path, ["skill"]))
    assert (found.holds, found.folder) == (True, None)
    assert list((tmp_path / "temporary").iterdir()) == []
    found = selftest(SelftestRequest(fake_rocm.path, ["report"]))
    assert not found.holds
    assert found.folder is not None
    assert (Path(found.folder) / "logs").is_dir()


@native
@pytest.mark.weekly
@pytest.mark.timeout(1200)
def test_every_step_holds_on_the_virtual_device(virtual_rocm: Path, tmp_path: Path) -> None:
    found = selftest(SelftestRequest(virtual_rocm, (), tmp_path / "work"))
    bad = {step.name: step.reason for step in found.steps if step.status != "holds"}
    assert bad == {}
