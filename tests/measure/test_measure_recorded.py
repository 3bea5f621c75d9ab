"""What counts as a run among recordings, which command made them, and what lies beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import pytest
from msgspec.structs import replace

from fakes.thread_traces import documents, write_folder
from fakes.trace_samples import sample_trace
from rocm_perf_lab.analysis.documents.profile import RunInput
from rocm_perf_lab.errors import PerfLabError, RecordingError, UsageError
from rocm_perf_lab.measure.findings import HOW_TO_TRACE, code_uris, prefix_if_any
from rocm_perf_lab.measure.recorded import common_command, read_runs, runs_of
from rocm_perf_lab.measure.request import Recordings
from rocm_perf_lab.measure.thread_traces import (
    analyse_traces,
    read_traces,
    trace_folders,
    why_none,
)
from rocm_perf_lab.trace.model import UNKNOWN, CodeObject
from rocm_perf_lab.trace.thread_trace.files import TraceFiles


def run(command: Optional[str]) -> RunInput:
    trace = sample_trace()
    return RunInput(replace(trace, processes=(replace(trace.processes[0], command=command),)))


def test_a_folder_of_kept_runs_is_several_runs(tmp_path: Path) -> None:
    for name in ("run_2", "run_1", "counters_1"):
        (tmp_path / "kept" / name).mkdir(parents=True)
    plain = tmp_path / "plain"
    plain.mkdir()
    file = tmp_path / "a.db"
    kept = tmp_path / "kept"
    assert runs_of([plain, kept, file]) == [plain, kept / "run_1", kept / "run_2", file]


def test_files_that_are_called_like_runs_are_one_recording(tmp_path: Path) -> None:
    """``rocprofv3 -o run`` writes them."""
    for name in ("run_kernel_trace.csv", "run_agent_info.csv"):
        (tmp_path / name).touch()
    assert runs_of([tmp_path]) == [tmp_path]


def test_runs_of_one_command_have_it_and_others_have_none() -> None:
    assert common_command([run("./app --size 3"), run("./app --size 3")]) == ["./app --size 3"]
    assert common_command([run("./app"), run("./other")]) is None
    assert common_command([run("./app"), run(None)]) == ["./app"]
    assert common_command([run(None)]) is None


def test_a_thread_trace_alone_is_no_recording_of_a_run(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, documents())
    with pytest.raises(UsageError) as caught:
        read_runs(Recordings((folder,)), with_path=False)
    assert caught.value.cause == f"{folder} is a thread trace, not a recording of a run"
    assert caught.value.next_step == "rocm-perf profile --deep-analysis --from PATH"


def test_only_code_in_files_can_be_read_again() -> None:
    trace = sample_trace()
    (first,) = trace.code_objects
    in_memory = CodeObject(0, 2, UNKNOWN, "memory://4242#offset=1&size=2", 0, 0)
    nowhere = replace(first, uri=None)
    twice = replace(trace, code_objects=(first, in_memory, nowhere, first))
    assert code_uris([twice, trace]) == ["file:///app#offset=4096&size=512"]


def test_without_a_rocm_the_reason_is_kept(tmp_path: Path) -> None:
    found = prefix_if_any(tmp_path / "nothing")
    assert isinstance(found, PerfLabError)
    assert str(tmp_path / "nothing") in found.cause


def damaged(parent: Path) -> Path:
    folder = write_folder(parent, documents())
    (folder / "code.json").write_text("{")
    return folder


def test_traces_that_can_be_read_are_and_the_others_say_why(tmp_path: Path) -> None:
    good, bad = write_folder(tmp_path / "good", documents()), damaged(tmp_path / "bad")
    files = TraceFiles(recordings=(), traces=(bad, good))
    (trace,), (trouble,) = read_traces(files)
    assert trace.kernels == ("_Z4loopPf",)
    assert "code.json" in trouble.cause
    document = analyse_traces(files)
    assert [row.kernel for row in document.kernels] == ["_Z4loopPf"]
    assert trouble.cause in document.notes
    assert document.source == [str(bad), str(good)]


def test_no_trace_that_can_be_read_is_the_first_trouble(tmp_path: Path) -> None:
    files = TraceFiles(recordings=(), traces=(damaged(tmp_path / "a"), damaged(tmp_path / "b")))
    with pytest.raises(RecordingError, match=str(tmp_path / "a")):
        analyse_traces(files)


def test_why_a_kernel_has_no_trace(tmp_path: Path) -> None:
    none = why_none(TraceFiles((tmp_path,), ()), [])
    assert none.reason == "no thread trace of this kernel is with the recording"
    assert none.next_step == HOW_TO_TRACE
    trouble = RecordingError("it is damaged", "record again")
    broken = why_none(TraceFiles((tmp_path,), ()), [trouble])
    assert (broken.reason, broken.next_step) == ("it is damaged", "record again")
    (tmp_path / "run_1").mkdir()
    (tmp_path / "run_1" / "shader_engine_0_0.att").write_bytes(b"\x00" * 64)
    undecoded = why_none(TraceFiles((tmp_path,), ()), [])
    assert undecoded.reason == "its thread trace was recorded, but never decoded"
    other = why_none(TraceFiles((tmp_path,), (tmp_path / "decoded",)), [])
    assert other == none, "something was decoded, so that the decoder is there"


def test_code_lies_beside_traces_and_in_folders_of_recordings(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    file.touch()
    traces = (tmp_path / "x" / "ui_1", tmp_path / "x" / "ui_2")
    files = TraceFiles(recordings=(file, tmp_path), traces=traces)
    assert trace_folders(files) == [tmp_path / "x", tmp_path]
