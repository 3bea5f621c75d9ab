"""N runs give N recordings, the application notices nothing, and every failure has its name."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from fakes.fake_rocm import write_program
from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.collect.process import Stdout
from rocm_perf_lab.collect.rocprof.options import CollectOptions
from rocm_perf_lab.collect.rocprof.run import collect_counters, collect_runs, iter_runs
from rocm_perf_lab.collect.rocprof.space import recording_space
from rocm_perf_lab.errors import (
    ApplicationFailed,
    NothingRecorded,
    RecordingError,
    ToolFailed,
    ToolMissing,
    UsageError,
)

ONE_RUN = CollectOptions(runs=1)


@pytest.fixture
def collect(fake_rocm, tmp_path):
    """Collect with the fake prefix; recordings stay in ``tmp_path / 'kept traces'``."""

    def run(argv, options=ONE_RUN):
        with recording_space(tmp_path / "kept traces") as space:
            return collect_runs(find_prefix(fake_rocm.path), argv, options, space)

    return run


def durations(run) -> list[int]:
    return run.trace.dispatches.duration.tolist()


def test_every_run_has_its_own_recording(collect, fake_rocm):
    fake_rocm.behave(durations_ns=[100_000, 200_000, 300_000])
    runs = collect(["true"], CollectOptions(runs=3))
    assert [run.index for run in runs] == [1, 2, 3]
    assert [durations(run) for run in runs] == [[100_000] * 3, [200_000] * 3, [300_000] * 3]
    assert len({path for run in runs for path in run.recordings}) == 3
    assert all(run.wall_ns > 0 for run in runs)


def test_warmups_are_recorded_like_runs_and_dropped(collect, fake_rocm, tmp_path):
    fake_rocm.behave(durations_ns=[900_000, 100_000])
    runs = collect(["true"], CollectOptions(runs=1, warmup=1))
    assert durations(runs[0]) == [100_000] * 3
    assert len(fake_rocm.calls()) == 2
    assert [path.name for path in (tmp_path / "kept traces").iterdir()] == ["run_1"]


def test_the_command_line_of_the_profiler(collect, fake_rocm, tmp_path):
    options = CollectOptions(runs=1, trace=frozenset({"hip", "memory-copy"}))
    collect(["true"], options)
    argv = fake_rocm.calls()[0]["argv"]
    traced = ["--kernel-trace", "--hip-runtime-trace", "--memory-copy-trace"]
    assert argv[:6] == [*traced, "--output-format", "rocpd", "-d"]
    assert argv[7:] == ["--", "true"]
    assert Path(argv[6]).parent == tmp_path / "kept traces"


def test_the_application_gets_its_arguments_token_by_token(collect, application):
    words = ["a b", "it's", '"q"', ";", "{}", "$HOME", "*", "", "--", "--kernel-trace", "\u03c0"]
    collect([str(application.path), *words])
    assert application.starts[0]["argv"] == words


def test_home_cwd_and_environment_of_the_application(collect, application, tmp_path, monkeypatch):
    (tmp_path / "work dir").mkdir()
    monkeypatch.chdir(tmp_path / "work dir")
    monkeypatch.setenv("HOME", "/home/of the user")
    monkeypatch.setenv("ROCPROF_OUTPUT_FORMAT", "json")
    monkeypatch.setenv("ROCPROFILER_METRICS_PATH", "/kept")
    collect([str(application.path)])
    start = application.starts[0]
    assert start["cwd"] == str(tmp_path / "work dir")
    assert start["environment"]["HOME"] == "/home/of the user"
    assert start["environment"]["ROCPROFILER_METRICS_PATH"] == "/kept"
    assert "ROCPROF_OUTPUT_FORMAT" not in start["environment"]
    assert os.listdir(tmp_path / "work dir") == []


def test_noise_never_reaches_our_stdout_when_it_is_sent_away(
    collect, fake_rocm, application, capfd
):
    fake_rocm.behave(noise=True)
    run = collect([str(application.path)], CollectOptions(runs=1, app_stdout=Stdout.TO_STDERR))[0]
    out, err = capfd.readouterr()
    assert out == ""
    for words in ("result of the application", "words of the application", "noise on stdout"):
        assert words in err
    assert "words of the application" in run.log
    assert "result of the application" not in run.log


def test_output_is_inherited_by_default(collect, application, capfd):
    collect([str(application.path)])
    assert capfd.readouterr() == ("result of the application\n", "words of the application\n")


def test_several_processes_are_one_run(collect, fake_rocm):
    fake_rocm.behave(processes=3)
    run = collect(["true"])[0]
    assert len(run.recordings) == 3
    assert len(run.trace.processes) == 3
    assert len(run.trace.dispatches) == 9


def test_a_profiler_without_rocpd_writes_csv(collect, fake_rocm):
    fake_rocm.behave(rocpd=False)
    run = collect(["true"])[0]
    assert [path.suffix for path in run.recordings] == [".csv"]
    assert durations(run) == [100_000] * 3


def test_the_rocpd_writer_bug_falls_back_to_csv_once_and_for_all(collect, fake_rocm):
    fake_rocm.behave(semicolon_bug=True)
    runs = collect(["/bin/sh", "-c", "true; true"], CollectOptions(runs=2))
    formats = [
        call["argv"][call["argv"].index("--output-format") + 1] for call in fake_rocm.calls()
    ]
    assert formats == ["rocpd", "csv", "csv"]
    assert [durations(run) for run in runs] == [[100_000] * 3] * 2


def test_a_later_run_that_fails_does_not_lose_the_earlier_ones(fake_rocm, tmp_path):
    app = ["/bin/sh", "-c", 'test -e "$0" && exit 7; touch "$0"', str(tmp_path / "flag")]
    kept = []
    with recording_space(tmp_path / "kept traces") as space:
        runs = iter_runs(find_prefix(fake_rocm.path), app, CollectOptions(runs=3), space)
        with pytest.raises(ApplicationFailed, match="exit code 7"):
            kept.extend(runs)
    assert [run.index for run in kept] == [1]
    assert [path.name for path in (tmp_path / "kept traces").iterdir()] == ["run_1"]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo the reason >&2; exit 1", "exit code 1"),
        ("echo the reason >&2; exit 134", "SIGABRT"),
        ("echo the reason >&2; kill -9 $$", "SIGKILL"),
        ("echo the reason >&2; echo Fatal error: mine >&2; exit 1", "application failed"),
    ],
)
def test_the_application_fails(collect, script, words, tmp_path):
    with pytest.raises(ApplicationFailed, match=words) as caught:
        collect(["/bin/sh", "-c", script])
    assert caught.value.exit_code == 4
    assert caught.value.stderr_tail.startswith("the reason\n")
    assert list((tmp_path / "kept traces").iterdir()) == []


def test_the_application_cannot_start(collect, tmp_path, fake_rocm):
    with pytest.raises(ApplicationFailed, match="was not found"):
        collect([str(tmp_path / "missing")])
    assert fake_rocm.calls() == []
    write_program(tmp_path / "foreign", "\x7fELF of another machine")
    with pytest.raises(ApplicationFailed, match="Exec format error"):
        collect([str(tmp_path / "foreign")])


def test_a_hanging_application_is_stopped_with_its_children(collect, tmp_path):
    script = 'echo $$ >> "$0"; sleep 60 & echo $! >> "$0"; sleep 60'
    pids = tmp_path / "pids"
    options = CollectOptions(runs=1, timeout_s=1.0)
    with pytest.raises(ApplicationFailed, match="did not end within 1 s"):
        collect(["/bin/sh", "-c", script, str(pids)], options)
    assert_gone(pids)
    assert list((tmp_path / "kept traces").iterdir()) == []


def assert_gone(pids: Path) -> None:
    written = pids.read_text().split()
    assert len(written) == 2
    deadline = time.monotonic() + 5
    while any(Path(f"/proc/{pid}/cmdline").exists() for pid in written):
        assert time.monotonic() < deadline, f"still running: {written}"
        time.sleep(0.02)


def test_the_profiler_fails_before_the_application(collect, fake_rocm, application):
    fake_rocm.behave(script_fatal="Failed to resolve path. 'lib' does not exist")
    with pytest.raises(ToolFailed, match="Failed to resolve path") as caught:
        collect([str(application.path)])
    assert caught.value.exit_code == 3
    assert "doctor" in (caught.value.next_step or "")
    assert not application.report.exists()


def test_the_profiler_aborts_inside_the_application(collect, fake_rocm):
    fake_rocm.behave(library_fatal="Request exceeds the capabilities of the hardware to collect")
    with pytest.raises(ToolFailed, match="rocprofv3 failed: Request exceeds") as caught:
        collect(["true"])
    assert caught.value.next_step == "collect fewer counters per pass"


def test_the_profiler_vanishes_between_runs(collect, fake_rocm):
    app = ["/bin/sh", "-c", 'rm "$0"', str(fake_rocm.profiler)]
    with pytest.raises(ToolMissing, match="cannot be started"):
        collect(app, CollectOptions(runs=2))


def test_an_option_that_the_profiler_does_not_have(collect, fake_rocm):
    text = fake_rocm.profiler.read_text()
    fake_rocm.profiler.write_text(text.replace('"marker-trace",', ""))
    with pytest.raises(ToolMissing, match=r"version 1\.0\.0\) has no option --marker-trace"):
        collect(["true"], CollectOptions(runs=1, trace=frozenset({"kernel", "marker"})))


@pytest.mark.parametrize(
    ("log", "cause", "next_step"),
    [
        ("", "launched no GPU kernel", "rocm-perf doctor"),
        ("Unable to open /dev/kfd read-write: Permission denied", "no permission", "render"),
        ("error: no ROCm-capable device is detected", "found no GPU", "rocm-perf doctor"),
        ("rocprofv3 has a priority of 1 (not primary tool)", "another profiler", "PyTorch"),
        (
            "ERROR: ld.so: object 'rocm/lib/librocprofiler-sdk.so' from LD_PRELOAD "
            "cannot be preloaded (cannot open shared object file): ignored.",
            "library could not be loaded",
            "no space in its path",
        ),
    ],
)
def test_nothing_recorded_has_a_likely_cause(collect, fake_rocm, log, cause, next_step):
    fake_rocm.behave(dispatches=0, log=log)
    with pytest.raises(NothingRecorded, match=cause) as caught:
        collect(["true"])
    assert caught.value.exit_code == 5
    assert next_step in (caught.value.next_step or "")


def test_a_stale_recording_never_counts(collect, fake_rocm, tmp_path):
    """Neither in the working directory nor in the place of recordings."""
    runs = collect(["true"])
    fake_rocm.behave(dispatches=0)
    for path in runs[0].recordings:
        path.rename(tmp_path / "kept traces" / "9_results.db")
    for leftover in (tmp_path / "kept traces" / "run_1").iterdir():
        leftover.rmdir()
    (tmp_path / "kept traces" / "run_1").rmdir()
    with pytest.raises(NothingRecorded):
        collect(["true"])


def test_old_recordings_are_not_mixed_with_new_ones(collect):
    collect(["true"])
    with pytest.raises(UsageError, match="already holds recordings") as caught:
        collect(["true"])
    assert caught.value.exit_code == 2


def test_a_damaged_recording_is_no_success(collect, fake_rocm):
    fake_rocm.behave(partial_db=True)
    with pytest.raises(RecordingError):
        collect(["true"])


def test_a_temporary_space_is_gone_afterwards(fake_rocm):
    with recording_space() as space:
        runs = collect_runs(find_prefix(fake_rocm.path), ["true"], ONE_RUN, space)
        assert space.is_absolute()
        assert runs[0].recordings[0].is_relative_to(space)
    assert not space.exists()


def test_a_place_for_recordings_that_cannot_exist(fake_rocm, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with (
        pytest.raises(UsageError, match="cannot create") as caught,
        recording_space(tmp_path / "file" / "below"),
    ):
        pass
    assert "--keep-trace" in (caught.value.next_step or "")
    with recording_space() as space:
        space.rmdir()
        with pytest.raises(UsageError, match="cannot write recordings"):
            collect_runs(find_prefix(fake_rocm.path), ["true"], ONE_RUN, space)


def test_what_was_asked_for_and_did_not_happen_is_noted(collect):
    everything = frozenset({"kernel", "hip", "hsa", "memory-copy", "memory-allocation", "marker"})
    run = collect(["true"], CollectOptions(runs=1, trace=everything))[0]
    assert run.notes == (
        "no hsa recorded",
        "no memory-allocation recorded",
        "no marker recorded",
    )
    assert len(run.trace.api_calls) == 3
    assert len(run.trace.copies) == 1


def counters(fake_rocm, space, *passes, kernel_regex=None):
    options = CollectOptions(pmc=passes, kernel_regex=kernel_regex)
    return collect_counters(find_prefix(fake_rocm.path), ["true"], options, space)


def test_every_counter_pass_is_one_run(fake_rocm, tmp_path):
    runs = counters(
        fake_rocm, tmp_path, ("SQ_WAVES", "GRBM_COUNT"), ("TCC_HIT",), kernel_regex="-v"
    )
    recorded = [{run.trace.strings[i] for i in run.trace.counters.name.tolist()} for run in runs]
    assert recorded == [{"SQ_WAVES", "GRBM_COUNT"}, {"TCC_HIT"}]
    argv = fake_rocm.calls()[0]["argv"]
    assert argv[:4] == ["--pmc", "SQ_WAVES", "GRBM_COUNT", "--kernel-include-regex=-v"]
    assert sorted(path.name for path in tmp_path.glob("counters_*")) == ["counters_1", "counters_2"]


def test_a_missing_counter_is_named_and_never_zero(fake_rocm, tmp_path):
    fake_rocm.behave(missing_counters=["SQ_NO_SUCH"])
    run = counters(fake_rocm, tmp_path, ("SQ_WAVES", "SQ_NO_SUCH"))[0]
    assert run.notes == ("counter SQ_NO_SUCH was not recorded",)


def test_no_counter_at_all_is_an_error(fake_rocm, tmp_path):
    fake_rocm.behave(missing_counters=["A"], log="Unable to find all counters for agent 1")
    with pytest.raises(NothingRecorded, match="does not have them"):
        counters(fake_rocm, tmp_path, ("A",))


def test_a_filter_that_matches_nothing_is_named(fake_rocm, tmp_path):
    fake_rocm.behave(dispatches=0)
    with pytest.raises(NothingRecorded, match="no kernel matches 'gemm'"):
        counters(fake_rocm, tmp_path, ("A",), kernel_regex="gemm")


COLLECTOR = """
    import sys
    from pathlib import Path
    from rocm_perf_lab.collect.rocprof.options import CollectOptions
    from rocm_perf_lab.collect.prefix import find_prefix
    from rocm_perf_lab.collect.rocprof.run import collect_runs
    from rocm_perf_lab.collect.rocprof.space import recording_space
    prefix, keep, *argv = sys.argv[1:]
    try:
        with recording_space(Path(keep)) as space:
            collect_runs(find_prefix(Path(prefix)), argv, CollectOptions(runs=1), space)
    except KeyboardInterrupt:
        sys.exit(130)
"""


def test_ctrl_c_ends_the_run_and_leaves_nothing_half_written(fake_rocm, tmp_path):
    pids = tmp_path / "pids"
    app = ["/bin/sh", "-c", 'echo $$ >> "$0"; sleep 60 & echo $! >> "$0"; sleep 60', str(pids)]
    code = textwrap.dedent(COLLECTOR)
    command = [sys.executable, "-c", code, str(fake_rocm.path), str(tmp_path / "kept traces"), *app]
    with subprocess.Popen(command) as collector:
        deadline = time.monotonic() + 20
        while not (pids.exists() and len(pids.read_text().split()) == 2):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        collector.send_signal(signal.SIGINT)
        assert collector.wait(20) == 130
    assert_gone(pids)
    assert list((tmp_path / "kept traces").iterdir()) == []
