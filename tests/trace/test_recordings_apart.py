"""Recordings that lie in one folder: one run, several runs, or a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.runs.training_traces import step_of_rank, write_ranks
from fakes.trace_samples import sample_trace
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.measure.recorded import files_together, read_runs
from rocm_perf_lab.measure.request import Recordings
from rocm_perf_lab.trace.csv.writer import write_csv
from rocm_perf_lab.trace.load import load

_HEADER = '"Kind","Agent_Id","Queue_Id","Kernel_Id","Kernel_Name","Correlation_Id",'
_TIMES = '"Start_Timestamp","End_Timestamp","Private_Segment_Size","Group_Segment_Size",'
_SIZES = ",".join(f'"{what}_Size_{axis}"' for what in ("Workgroup", "Grid") for axis in "XYZ")
_HOURS = 251_577 * 10**9


def _record(folder: Path, name: str, kernel: str, start: int) -> Path:
    file = folder / f"{name}_kernel_trace.csv"
    rows = [
        f'"KERNEL_DISPATCH",1,1,1,"{kernel}",{i},{start + i * 2000},{start + i * 2000 + 1000},0,0,'
        "64,1,1,64,1,1"
        for i in range(5)
    ]
    file.write_text("\n".join([_HEADER + _TIMES + _SIZES, *rows]) + "\n")
    return file


def test_recordings_of_different_kernels_are_a_question(tmp_path: Path) -> None:
    _record(tmp_path, "prefill", "attention", 1000)
    _record(tmp_path, "decode", "gemv", _HOURS)
    with pytest.raises(UsageError) as caught:
        load([tmp_path])
    assert "2 recordings with different kernels (prefill, decode), 2.516e+05 s apart" in str(
        caught.value
    )
    assert caught.value.next_step == f"name the one you mean: --from {tmp_path}/prefill*"


def test_recordings_of_the_same_kernels_are_two_runs(tmp_path: Path) -> None:
    _record(tmp_path, "monday", "gemv", 1000)
    _record(tmp_path, "friday", "gemv", _HOURS)
    runs = read_runs(Recordings((tmp_path,)), with_path=False).inputs
    assert [len(run.trace.dispatches) for run in runs] == [5, 5]


def test_processes_of_one_run_are_one_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are named after the process: each is used by itself."""
    _record(tmp_path, "4711", "first", 1000)
    _record(tmp_path, "4712", "second", _HOURS)
    assert main(["profile", "--from", str(tmp_path)]) == 0
    page = capsys.readouterr().out
    assert [line.split()[:2] for line in page.splitlines() if line.startswith("pid 47")] == [
        ["pid", "4711"],
        ["pid", "4712"],
    ]


def test_names_of_one_time_are_one_recording(tmp_path: Path) -> None:
    _record(tmp_path, "left", "first", 1000)
    _record(tmp_path, "right", "second", 2000)
    assert len(load([tmp_path]).dispatches) == 10


def test_files_of_one_process_named_one_by_one_are_one_recording(tmp_path: Path) -> None:
    named = [tmp_path / f"a_{kind}.csv" for kind in ("kernel_trace", "hip_api_trace")]
    other = tmp_path / "b_kernel_trace.csv"
    for file in (*named, other):
        file.touch()
    assert files_together([*named, other]) == [tuple(named), (other,)]


def test_counter_passes_named_beside_a_run_are_no_run(tmp_path: Path) -> None:
    assert len(sample_trace().counters)
    timed, counted = _record(tmp_path, "app", "gemv", 1000), tmp_path / "counted"
    write_csv(sample_trace(), counted)
    runs = read_runs(Recordings((timed, counted)), with_path=False)
    assert [run.trace.processes[0].source for run in runs.inputs] == [str(timed)]
    assert len(runs.everything().counters) == len(sample_trace().counters)


def test_traces_of_different_ranks_are_one_run(tmp_path: Path) -> None:
    paths = write_ranks(tmp_path)
    by_folder = read_runs(Recordings((tmp_path,)), with_path=False).inputs
    by_name = read_runs(Recordings(tuple(paths)), with_path=False).inputs
    for runs in (by_folder, by_name):
        assert [[process.rank for process in run.trace.processes] for run in runs] == [[0, 1, 2, 3]]


def test_traces_without_ranks_remain_a_question(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        step_of_rank(200).write(tmp_path / name)
    with pytest.raises(UsageError, match="holds 2 PyTorch traces"):
        load([tmp_path])
