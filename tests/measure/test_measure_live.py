"""Runs made now: what an application is run with, and what more it is run for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from msgspec import structs

from fakes.fake_rocm import FakeRocm
from fakes.trace_samples import sample_trace
from rocm_perf_lab.analysis.documents.analysis import Missing
from rocm_perf_lab.analysis.documents.profile import build_profile
from rocm_perf_lab.collect.echo import PROFILER_CHATTER
from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.collect.process import Stdout, run_process
from rocm_perf_lab.collect.rocprof.run import Run
from rocm_perf_lab.collect.rocprof.thread_trace import TracedKernel
from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.measure import live
from rocm_perf_lab.measure.findings import HOW_TO_TRACE
from rocm_perf_lab.measure.live import Application, LiveRuns
from rocm_perf_lab.measure.profile import profile
from rocm_perf_lab.measure.request import ProfileRequest, Recordings
from rocm_perf_lab.measure.runs import collect_options, opened

APP = Application((sys.executable, "-c", "pass"), runs=2, warmup=1, timeout_s=9.0)


def test_an_application_is_run_as_it_was_asked_for() -> None:
    options = collect_options(APP, frozenset(("hip",)))
    assert (options.runs, options.warmup, options.timeout_s) == (2, 1, 9.0)
    assert (options.trace, options.app_stdout) == (frozenset(("hip",)), Stdout.TO_STDERR)
    assert isinstance(options.start, partial)
    assert options.start.keywords == {"hidden": PROFILER_CHATTER}
    assert collect_options(replace(APP, debug=True), frozenset()).start is run_process


def test_a_critical_path_needs_calls_and_copies(fake_rocm: FakeRocm, tmp_path: Path) -> None:
    application = replace(APP, rocm=fake_rocm.path, runs=1, warmup=0, keep=tmp_path / "kept")
    with opened(application, with_path=True) as runs:
        assert len(runs.inputs) == 1
        assert not runs.has_traces
        assert tuple(runs.origin.command or ()) == application.argv
    with opened(replace(application, keep=None), with_path=False):
        pass
    with_path, without = (call["argv"] for call in fake_rocm.calls())
    assert {"--hip-runtime-trace", "--memory-copy-trace"} <= set(with_path)
    assert not {"--hip-runtime-trace", "--memory-copy-trace"} & set(without)
    with opened(Recordings((tmp_path / "kept",)), with_path=False) as again:
        assert [run.trace.dispatches.start.tolist() for run in again.inputs] == [
            run.trace.dispatches.start.tolist() for run in runs.inputs
        ]


def live_runs(fake: FakeRocm, space: Path, runs: int = 1) -> LiveRuns:
    recorded = [
        Run(number, (), sample_trace(number, f"run {number}"), 5_000 + number, "", ("a note",))
        for number in range(1, runs + 1)
    ]
    options = collect_options(APP, frozenset())
    return LiveRuns(APP, find_prefix(fake.path), options, space, recorded)


def test_runs_keep_their_times_and_notes(fake_rocm: FakeRocm, tmp_path: Path) -> None:
    runs = live_runs(fake_rocm, tmp_path, 2)
    assert [(run.wall_ns, run.notes) for run in runs.inputs] == [
        (5_001, ("a note",)),
        (5_002, ("a note",)),
    ]
    assert len(runs.everything().dispatches) == 6


def test_counter_passes_become_part_of_everything(
    fake_rocm: FakeRocm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def collect(prefix, argv, options, space, progress):  # type: ignore[no-untyped-def]
        asked.append((argv, options.pmc, options.timeout_s, space))
        return [Run(1, (), sample_trace(77, "counted"), 1, "")]

    monkeypatch.setattr(live, "collect_counters", collect)
    runs = live_runs(fake_rocm, tmp_path)
    passes = (("SQ_WAVES",), ("TCC_HIT_sum",))
    (counted,) = runs._count(passes)
    assert asked == [(APP.argv, passes, 9.0, tmp_path)]
    assert counted.processes[0].pid == 77
    assert {process.pid for process in runs.everything().processes} == {1, 77}


def traces_of(runs: LiveRuns) -> dict[str, object]:
    found = build_profile(runs.inputs, runs.origin)
    return dict(runs._trace_one(found, runs.inputs[0].trace, None))


def test_only_the_dominant_kernel_is_traced(
    fake_rocm: FakeRocm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[TracedKernel] = []

    def collect(prefix, argv: Sequence[str], kernel: TracedKernel, *more: object) -> str:  # type: ignore[no-untyped-def]
        asked.append(kernel)
        return "the trace"

    monkeypatch.setattr(live, "collect_thread_trace", collect)
    found = traces_of(live_runs(fake_rocm, tmp_path))
    (kernel,) = asked
    assert (kernel.name, kernel.symbol) == ("gemm(float*)", "_Z4gemmPf.kd")
    assert found.pop("gemm(float*)") == "the trace"
    assert list(found.values()) == [
        Missing("one kernel is traced at a time, and it was another", HOW_TO_TRACE)
    ]


def test_a_trace_that_fails_leaves_its_reason(
    fake_rocm: FakeRocm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def collect(*more: object) -> None:
        raise ToolMissing("no decoder", "install it")

    monkeypatch.setattr(live, "collect_thread_trace", collect)
    found = traces_of(live_runs(fake_rocm, tmp_path))
    assert found["gemm(float*)"] == Missing("no decoder", "install it")


def test_code_is_looked_for_in_the_program_that_the_shell_would_start() -> None:
    assert live._program(("sh", "-c")) == Path(live.shutil.which("sh") or "")
    assert live._program(("no-such-program",)) is None


def test_without_a_profiler_there_is_the_wall_time_and_the_reason_for_the_rest(
    fake_rocm: FakeRocm,
) -> None:
    request = ProfileRequest(
        replace(APP, rocm=fake_rocm.path), critical_path=True, deep_analysis=True, timing_only=True
    )
    found = profile(request)
    assert found.path is None
    assert fake_rocm.calls() == []
    document = found.profile
    assert document.command == list(APP.argv)
    entries = {entry.field: (entry.reason, entry.next) for entry in document.unavailable}
    why = ("the profiler was switched off with --no-rocprof", "run without --no-rocprof")
    assert entries["critical_path"] == entries["analysis"] == entries["kernels"] == why
    plain = profile(structs.replace(request, critical_path=False, deep_analysis=False)).profile
    assert not {"critical_path", "analysis"} & {entry.field for entry in plain.unavailable}
