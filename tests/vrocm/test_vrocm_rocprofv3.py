"""rocprofv3 of the virtual ROCm as a user meets it: files, exit codes and messages."""

from __future__ import annotations

import json
import os
import signal
import socket
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

BASE = 1_000_000_000_000


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


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


# --- what it records ----------------------------------------------------------------------------


def test_the_default_is_a_database_named_by_host_and_process(bench: Bench) -> None:
    result = bench.run("--kernel-trace")
    assert result.returncode == 0
    (name,) = bench.files()
    host, file = name.split("/")
    assert host == socket.gethostname()
    assert file.endswith("_results.db")
    assert file.removesuffix("_results.db").isdigit()
    assert f"Opened result file: {bench.out / name}" in result.stderr


def test_a_kernel_trace_holds_kernels_and_nothing_else(bench: Bench) -> None:
    bench.run("--kernel-trace")
    trace = load([bench.out])
    assert len(trace.dispatches) == 4
    assert not any(map(len, (trace.copies, trace.allocations, trace.api_calls, trace.markers)))
    assert trace.is_virtual
    assert trace.warnings == ()
    assert bench.seen()[0]["environment"]["VROCM_TRACE_DOMAINS"] == "kernel"


def test_dispatches_are_numbered_by_virtual_time(bench: Bench) -> None:
    bench.run("--kernel-trace")
    trace = load([bench.out])
    names = [trace.kernels[index].name for index in trace.dispatches.kernel]
    assert names == ["__amd_rocclr_fillBufferAligned"] + ["void ns::gemm<float>(float*)"] * 3
    assert trace.dispatches.dispatch_id.tolist() == [1, 2, 3, 4]
    assert trace.dispatches.duration.tolist() == [500, 1000, 1001, 1002]
    gemm = trace.kernels[trace.dispatches.kernel[1]]
    assert (gemm.symbol, gemm.arch_vgpr, gemm.accum_vgpr, gemm.sgpr) == (
        "_ZN2ns4gemmIfEEvPT_.kd",
        24,
        8,
        32,
    )
    assert trace.dispatches.lds.tolist()[1:] == [1500] * 3
    assert trace.dispatches.grid.tolist()[1] == [512, 2, 1]


def test_a_fill_has_a_name_and_a_time_but_no_invented_shape(bench: Bench) -> None:
    bench.run("--kernel-trace")
    trace = load([bench.out])
    fill = trace.kernels[trace.dispatches.kernel[0]]
    assert fill.is_runtime_blit
    assert fill.arch_vgpr is None
    assert trace.dispatches.grid.tolist()[0] == [-1, -1, -1]


@pytest.mark.parametrize(
    ("option", "counts", "words"),
    [
        ("--hip-trace", {"api_calls": 3}, "hip"),
        ("--hip-runtime-trace", {"api_calls": 3}, "hip"),
        ("--hip-compiler-trace", {}, "hip"),
        ("--hsa-trace", {"api_calls": 2}, "hsa"),
        ("--hsa-core-trace", {"api_calls": 1}, "hsa"),
        ("--hsa-amd-trace", {"api_calls": 1}, "hsa"),
        ("--memory-copy-trace", {"copies": 1}, "copy"),
        ("--memory-allocation-trace", {"allocations": 1}, "alloc"),
        ("--marker-trace", {"markers": 1}, "marker"),
        (
            "-r",
            {"dispatches": 4, "copies": 1, "allocations": 1, "markers": 1, "api_calls": 3},
            "alloc,copy,hip,kernel,marker",
        ),
        (
            "-s",
            {"dispatches": 4, "copies": 1, "allocations": 1, "markers": 1, "api_calls": 5},
            "alloc,copy,hip,hsa,kernel,marker",
        ),
    ],
)
def test_every_option_records_its_own_domain(
    bench: Bench, option: str, counts: dict[str, int], words: str
) -> None:
    assert bench.run(option).returncode == 0
    assert bench.seen()[0]["environment"]["VROCM_TRACE_DOMAINS"] == words
    if not counts:
        assert not bench.out.exists()
        return
    trace = load([bench.out])
    tables = ("dispatches", "copies", "allocations", "markers", "api_calls")
    assert {t: len(getattr(trace, t)) for t in tables if len(getattr(trace, t))} == counts


def test_calls_link_to_their_kernels_and_keep_their_arguments(bench: Bench) -> None:
    bench.run("-r")
    trace = load([bench.out])
    assert trace.dispatches.stack_id.tolist()[1:] == trace.api_calls.stack_id.tolist()
    assert trace.api_arguments(0) == (("stream", "hipStream_t", "<nil>"),)
    assert trace.strings[trace.markers.message[0]] == "step 1"
    assert trace.processes[0].command == "./app --size 3"


# --- formats ------------------------------------------------------------------------------------


def test_all_formats_tell_the_same_numbers(bench: Bench) -> None:
    bench.run("-s", "--output-format", "rocpd", "csv", "json", "-o", "x")
    by_format = {
        "rocpd": load([bench.out / "x_results.db"]),
        "json": load([bench.out / "x_results.json"]),
        "csv": load([*sorted(bench.out.glob("*_trace.csv")), bench.out / "x_agent_info.csv"]),
    }
    expected = by_format["rocpd"]
    for name, trace in by_format.items():
        for column in ("start", "end", "dispatch_id", "stack_id", "thread", "scratch"):
            left, right = getattr(trace.dispatches, column), getattr(expected.dispatches, column)
            assert left.tolist() == right.tolist(), (name, column)
        for table in ("copies", "allocations", "api_calls", "markers"):
            left, right = getattr(trace, table), getattr(expected, table)
            assert sorted(zip(left.start, left.end)) == sorted(zip(right.start, right.end)), name
        kernels = [trace.kernels[index].name for index in trace.dispatches.kernel]
        assert kernels == [expected.kernels[index].name for index in expected.dispatches.kernel]
        assert trace.is_virtual


def test_statistics_come_with_csv(bench: Bench) -> None:
    bench.run("-s", "--stats", "-f", "csv", "-o", "x")
    lines = (bench.out / "x_kernel_stats.csv").read_text().splitlines()
    assert lines[0].replace('"', "") == (
        "Name,Calls,TotalDurationNs,AverageNs,Percentage,MinNs,MaxNs,StdDev"
    )
    name, calls, total, average, percent, least, most, deviation = lines[1].strip('"').split('","')
    assert (name, int(calls), int(total)) == ("void ns::gemm<float>(float*)", 3, 3003)
    assert (float(average), int(least), int(most)) == (1001.0, 1000, 1002)
    assert float(percent) == pytest.approx(100 * 3003 / 3503, abs=0.01)
    assert float(deviation) == pytest.approx(1.0)
    domains = (bench.out / "x_domain_stats.csv").read_text()
    assert '"KERNEL_DISPATCH","4","3503"' in domains


def test_statistics_of_a_database_alone_are_a_warning(bench: Bench) -> None:
    result = bench.run("--kernel-trace", "--stats", "-o", "x")
    assert "--stats has no effect without csv or json" in result.stderr
    assert bench.files() == ["x_results.db"]


def test_summaries(bench: Bench) -> None:
    result = bench.run("-s", "-S", "-D", "--summary-groups", "KERNEL|COPY", "-u", "usec")
    assert "ROCPROFV3 SUMMARY:" in result.stderr
    assert "ROCPROFV3 KERNEL_DISPATCH SUMMARY:" in result.stderr
    group = result.stderr.partition("ROCPROFV3 SUMMARY (KERNEL|COPY):")[2]
    group = group.partition("ROCPROFV3")[0]
    assert "DURATION (usec)" in group
    assert "3.003" in group
    assert "MEMORY_COPY_HOST_TO_DEVICE" in group
    assert "hipLaunchKernel" not in group


def test_a_summary_can_go_to_a_file(bench: Bench) -> None:
    result = bench.run("--kernel-trace", "-S", "--summary-output-file", "summary.txt")
    assert "ROCPROFV3 SUMMARY" not in result.stderr
    assert "ns::gemm<float>" in (bench.out / "summary.txt").read_text()


@pytest.mark.parametrize(
    ("option", "name"), [("-M", "_ZN2ns4gemmIfEEvPT_"), ("-T", "gemm"), ("--stats=no", None)]
)
def test_names_of_kernels(bench: Bench, option: str, name: str | None) -> None:
    bench.run("--kernel-trace", option)
    trace = load([bench.out])
    assert trace.kernels[0].name == (name or "void ns::gemm<float>(float*)")


def test_streams_are_told_apart_unless_grouped_by_queue(bench: Bench) -> None:
    bench.run("--kernel-trace", "-o", "streams")
    bench.run("--kernel-trace", "--group-by-queue", "-o", "queues")
    streams, queues = (load([bench.out / f"{n}_results.db"]) for n in ("streams", "queues"))
    assert [streams.streams[i].id for i in streams.dispatches.stream] == [0, 1, 1, 1]
    assert [queues.streams[i].id for i in queues.dispatches.stream] == [0, 0, 0, 0]


# --- names of files -----------------------------------------------------------------------------


def test_a_prefix_replaces_host_and_process(bench: Bench) -> None:
    bench.run("--kernel-trace", "-o", "runs/%env{TEAM}%-%h-%argt%", TEAM="blue")
    assert bench.files() == [f"runs/blue-{socket.gethostname()}-app_results.db"]


def test_every_process_has_files_of_its_own(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, children=2)
    bench.run("--kernel-trace")
    assert len(bench.files()) == 3
    trace = load([bench.out])
    assert len({process.pid for process in trace.processes}) == 3
    assert len(trace.dispatches) == 12


def test_processes_that_replace_each_other_are_named(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, children=1)
    result = bench.run("--kernel-trace", "-o", "x")
    assert bench.files() == ["x_results.db"]
    assert "put %pid% into the name" in result.stderr


def test_the_configuration_can_be_kept(bench: Bench) -> None:
    bench.run("--kernel-trace", "--output-config", "-o", "x")
    assert json.loads((bench.out / "x_config.json").read_text())["kernel_trace"] is True


# --- when to collect ----------------------------------------------------------------------------


def test_selected_regions_count_from_the_launch(bench: Bench) -> None:
    """The second gemm is launched between resume and pause, and ends after the pause."""
    bench.run("--kernel-trace", "--selected-regions", "-o", "x")
    trace = load([bench.out])
    assert trace.dispatches.start.tolist() == [BASE + 36_000]
    assert len(trace.api_calls) == 0
    assert bench.seen()[0]["environment"]["VROCM_TRACE_DOMAINS"] == "hip,kernel"


@pytest.mark.parametrize(
    ("period", "starts"),
    [("15:10:1", [26_000]), ("5:10:0", [16_000, 26_000]), ("0:1:1", []), ("0:100:1", None)],
)
def test_collection_periods_are_virtual(
    bench: Bench, period: str, starts: list[int] | None
) -> None:
    bench.run("--kernel-trace", "-P", period, "--collection-period-unit", "usec")
    if starts == []:
        assert not bench.out.exists()
        return
    found = load([bench.out]).dispatches.start.tolist()
    expected = [1_000, 16_000, 26_000, 36_000] if starts is None else starts
    assert found == [BASE + start for start in expected]


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
