"""rocprofv3 of the virtual ROCm around an application: exit codes, signals, job files."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from profiler_support import Bench, make_bench

from rocm_perf_lab.trace.load import load
from rocm_perf_lab.vrocm.build import PACKAGE_LAUNCHER
from rocm_perf_lab.vrocm.rocprofv3 import main


@dataclass(frozen=True)
class Answer:
    status: int
    stdout: str
    stderr: str


class Asker:
    """Asks what needs no application, in this process."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def __call__(self, *options: str) -> Answer:
        try:
            status = main(options)
        except SystemExit as leaving:
            status = int(leaving.code or 0)
        said = self._capture.readouterr()
        return Answer(status, said.out, said.err)


@pytest.fixture
def ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Asker:
    monkeypatch.chdir(tmp_path)
    return Asker(capfd)


# --- exit codes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [0, 3, 255])
def test_the_exit_code_is_the_applications(tmp_path: Path, code: int) -> None:
    bench = make_bench(tmp_path, exit=code)
    assert bench.run("--kernel-trace").returncode == code
    assert len(bench.files()) == 1


def test_a_killed_application_ends_the_profiler_the_same_way(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, signal=signal.SIGKILL, cut=60)
    result = bench.run("--kernel-trace")
    assert result.returncode == -signal.SIGKILL
    assert "did not end normally" in result.stderr
    assert len(load([bench.out]).dispatches) == 4


def test_a_shell_sees_128_and_the_signal(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, signal=signal.SIGABRT)
    command = subprocess.list2cmdline(bench.command("--kernel-trace"))
    shell = subprocess.run(
        ["sh", "-c", f"{command}; exit $?"], capture_output=True, env=bench.environment()
    )
    assert shell.returncode == 128 + signal.SIGABRT


def test_main_returns_what_a_shell_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    bench = make_bench(tmp_path, signal=signal.SIGTERM)
    monkeypatch.chdir(tmp_path)
    assert main(["--kernel-trace", "--", *bench.application]) == 128 + signal.SIGTERM
    assert "ended by SIGTERM" in capfd.readouterr().err


@pytest.mark.parametrize(("cut", "markers"), [(1, 1), (30, 1), (200, 0), (1500, 0)])
def test_records_that_are_cut_short_are_a_warning(tmp_path: Path, cut: int, markers: int) -> None:
    bench = make_bench(tmp_path, cut=cut)
    result = bench.run("-s")
    assert result.returncode == 0
    assert "did not end normally" in result.stderr
    trace = load([bench.out])
    assert 0 < len(trace.dispatches) <= 4
    assert len(trace.markers) == markers


def test_nothing_to_record_is_no_file_and_no_failure(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, records=False)
    result = bench.run("--kernel-trace")
    assert result.returncode == 0
    assert not bench.out.exists()
    assert "no process used the HIP runtime" in result.stderr


def test_without_a_tracing_option_the_application_runs_unrecorded(bench: Bench) -> None:
    result = bench.run()
    assert result.returncode == 0
    assert "no tracing option" in result.stderr
    assert not bench.out.exists()
    assert "VROCM_TRACE" not in bench.seen()[0]["environment"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kernel-trace", "--", "/nowhere/app"], "cannot start /nowhere/app"),
        (["--kernel-trace"], "no application was given"),
        (["--spm", "SQ_WAVES", "--", "true"], "the virtual device has no streaming counters"),
        (["--kernel-trace", "-f", "pftrace", "--", "true"], "does not write Perfetto"),
        (["--kernel-trace", "-f", "otf2", "--", "true"], "does not write OTF2"),
        (["--stats", "--", "true"], "need one of the tracing options"),
        (["-p", "1"], "no application was given"),
        (["-p", "1", "--", "true"], "cannot attach"),
        (["--kernel-trace", "-P", "1:2", "--", "true"], "START_DELAY:COLLECTION_TIME:REPEAT"),
        (["--kernel-trace", "-d", "/proc/1", "--", "true"], "cannot write to /proc/1"),
        (["-i", "missing.json", "--", "true"], "cannot be read"),
        (["--kernel-trace", "-S", "--summary-groups", "*._API", "--", "true"], "not a regular"),
    ],
)
def test_what_cannot_be_done_is_a_fatal_error(ask: Asker, options: list[str], message: str) -> None:
    result = ask(*options)
    assert result.status == 1
    assert "[rocprofv3] Fatal error: " in result.stderr
    assert message in result.stderr


@pytest.mark.parametrize(
    "options",
    [["--kernel-tra"], ["--trace"], ["-f", "xml"], ["--kernel-trace=maybe"], ["-u", "days"]],
)
def test_wrong_options_end_with_2(ask: Asker, options: list[str]) -> None:
    result = ask(*options, "--", "true")
    assert result.status == 2
    assert "rocprofv3: error:" in result.stderr


@pytest.mark.parametrize("off", ["--hip-trace=no", "--hip-trace=False", "--hip-trace=0"])
def test_options_can_be_switched_off(bench: Bench, off: str) -> None:
    bench.run("--kernel-trace", off)
    assert bench.seen()[0]["environment"]["VROCM_TRACE_DOMAINS"] == "kernel"


def test_no_place_for_temporary_files_is_a_fatal_error(
    ask: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCPROF_TMPDIR", "/nowhere")
    result = ask("--kernel-trace", "--", "true")
    assert result.status == 1
    assert "/nowhere" in result.stderr


# --- the application ----------------------------------------------------------------------------


def test_the_application_gets_its_words_and_its_terminal(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, echo=True)
    words = ("--", "a b", "$HOME", "*", "")
    result = bench.run("--kernel-trace", words=words, stdin="from above\n")
    assert result.stdout == "from above\n"
    (seen,) = bench.seen()
    assert seen["argv"][1:] == list(words)
    assert seen["cwd"] == str(tmp_path)


def test_libraries_of_the_prefix_come_last(bench: Bench) -> None:
    bench.run("--kernel-trace", "--rocm-root", "/prefix", LD_LIBRARY_PATH="/mine")
    assert bench.seen()[0]["environment"]["LD_LIBRARY_PATH"] == "/mine:/prefix/lib"


@pytest.mark.parametrize("to_the_group", [False, True])
def test_ctrl_c_ends_the_application_and_the_recording_is_written(
    tmp_path: Path, to_the_group: bool
) -> None:
    bench = make_bench(tmp_path, wait=True)
    profiler = subprocess.Popen(
        bench.command("--kernel-trace"),
        env=bench.environment(),
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + 30
    while not (tmp_path / "ready").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    if to_the_group:
        os.killpg(profiler.pid, signal.SIGINT)
    else:
        os.kill(profiler.pid, signal.SIGINT)
    _, log = profiler.communicate(timeout=30)
    assert profiler.returncode == 7, log
    assert len(load([bench.out]).dispatches) == 4
    assert list(bench.temporary.iterdir()) == []


def test_the_product_works_with_it(bench: Bench) -> None:
    """Found in a prefix, asked for its options, and its recordings read."""
    launcher = bench.folder / "prefix" / "bin" / "rocprofv3"
    launcher.parent.mkdir(parents=True)
    text = PACKAGE_LAUNCHER.format(python=sys.executable, program="rocprofv3")
    launcher.write_text(text)
    launcher.chmod(0o755)
    program = [sys.executable, "-m", "rocm_perf_lab.cli.main", "profile", "--json", "--runs", "2"]
    result = subprocess.run(
        [*program, "--rocm", str(bench.folder / "prefix"), "--", *bench.application],
        capture_output=True,
        text=True,
        env=bench.environment(),
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["device"]["kind"] == "virtual"
    assert document["kernel"]["name"] == "void ns::gemm<float>(float*)"
    assert document["timing"]["kernel_sum_ms"] == pytest.approx(3503e-6)
    assert document["stability"]["cv"] == 0.0
    # A fill has no registers, and nobody can do anything about that.
    assert document["kernels"][1]["resources"] is None
    assert {"resources", "occupancy"} & {item["field"] for item in document["unavailable"]} == set()


# --- questions ----------------------------------------------------------------------------------


def test_version_is_lines_of_keys_and_values(ask: Asker, tmp_path: Path) -> None:
    (tmp_path / ".info").mkdir()
    (tmp_path / ".info" / "version").write_text("7.1.0-virtual\n")
    result = ask("--rocm-root", str(tmp_path), "--version")
    report = dict(line.strip().split(": ", 1) for line in result.stdout.splitlines())
    assert report["version"] == "1.1.0"
    assert report["rocm_version"] == "7.1.0"


def test_help_names_what_callers_look_for(ask: Asker) -> None:
    result = ask("--help")
    assert result.status == 0
    for word in ("--kernel-trace", "rocpd", "--hip-runtime-trace", "--pmc", "--sys-trace"):
        assert word in result.stdout


# --- job files ----------------------------------------------------------------------------------


def test_every_job_is_a_run_in_a_folder_of_its_own(bench: Bench) -> None:
    jobs = bench.folder / "jobs.yaml"
    jobs.write_text(
        "jobs:  # two runs\n"
        "  - kernel_trace: true\n"
        "    output_format: [csv, rocpd]\n"
        "    output_file: x\n"
        "  - hip_trace: true\n"
        "    output_file: x\n"
    )
    assert bench.run("-i", str(jobs)).returncode == 0
    assert [name for name in bench.files() if name.endswith(".db")] == [
        "pass_1/x_results.db",
        "pass_2/x_results.db",
    ]
    assert "pass_1/x_kernel_trace.csv" in bench.files()
    assert len(bench.seen()) == 2


def test_a_failing_pass_ends_everything(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, exit=4)
    (tmp_path / "jobs.json").write_text('{"jobs": [{"kernel_trace": true}, {"hip_trace": true}]}')
    result = bench.run("-i", str(tmp_path / "jobs.json"))
    assert result.returncode == 1
    assert "pass 1 of 2 ended with status 4" in result.stderr
    assert len(bench.seen()) == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", "{", "is damaged"),
        ("a.json", "[]", "has no list of jobs"),
        ("a.json", '{"jobs": []}', "holds no job"),
        ("a.json", '{"jobs": [{"kernel_tracing": true}]}', "--kernel-tracing"),
        ("a.json", '{"jobs": [{"kernel_trace": "perhaps"}]}', "neither true nor false"),
        ("a.json", '{"jobs": [{"output_directory": "b"}]}', "conflicting values"),
        ("a.json", '{"jobs": [{"pmc": ["A"], "pmc_groups": [["A"]]}]}', "Cannot specify both"),
        ("a.json", '{"jobs": [{"pmc_groups": ["A"]}]}', "not a list of lists"),
        ("a.json", '{"jobs": [{"pmc_groups": [["A"]], "pmc_group_interval": 0}]}', "dispatches"),
        ("a.txt", "# comment\n", "holds no job"),
        ("a.yaml", "jobs:\n  - *x\n", "line 2"),
        ("a.toml", "", "no known extension"),
    ],
)
def test_job_files_that_make_no_sense(
    ask: Asker, tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / name).write_text(content)
    result = ask("-d", "a", "-i", name, "--", "true")
    assert result.status == 1
    assert message in result.stderr


# --- databases ----------------------------------------------------------------------------------


def test_two_runs_give_the_same_recording(bench: Bench) -> None:
    bench.run("-s", "-o", "first")
    bench.run("-s", "-o", "second")
    contents = []
    for name in ("first", "second"):
        database = sqlite3.connect(bench.out / f"{name}_results.db")
        rows = database.execute(
            "SELECT dispatch_id, start, end, name, grid_x, stack_id FROM kernels ORDER BY id"
        ).fetchall()
        calls = database.execute("SELECT name, start, end FROM regions ORDER BY id").fetchall()
        contents.append((rows, calls))
    assert contents[0] == contents[1]
    assert len(contents[0][0]) == 4


def test_two_runs_are_two_recordings(bench: Bench) -> None:
    bench.run("--kernel-trace", "-o", "first")
    bench.run("--kernel-trace", "-o", "second")
    trace = load([bench.out])
    assert len({process.guid for process in trace.processes}) == 2
