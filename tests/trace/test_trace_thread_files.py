"""Recordings and decoded thread traces, told apart by what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.thread_traces import documents, write_folder
from rocm_perf_lab.trace.thread_trace.files import TraceFiles, holds_undecoded, separate

HEADER = "Kind,Agent_Id,Queue_Id,Kernel_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "7_kernel_trace.csv").write_text(f"{HEADER}\n")
    return folder


def test_a_recording_alone(recording: Path) -> None:
    assert separate([recording]) == TraceFiles((recording,), ())


def test_a_decoder_folder_is_no_recording(recording: Path) -> None:
    trace = write_folder(recording, documents())
    assert separate([trace]) == TraceFiles((), (trace,))


def test_a_folder_with_both(recording: Path) -> None:
    trace = write_folder(recording / "deeper", documents())
    assert separate([recording]) == TraceFiles((recording,), (trace,))


def test_a_folder_that_holds_only_traces(tmp_path: Path) -> None:
    trace = write_folder(tmp_path / "traces", documents())
    assert separate([tmp_path / "traces"]) == TraceFiles((), (trace,))


def test_beside_a_file_only_what_is_right_there(recording: Path) -> None:
    file = recording / "7_kernel_trace.csv"
    write_folder(recording / "deeper", documents())
    assert separate([file]) == TraceFiles((file,), ())
    trace = write_folder(recording, documents())
    assert separate([file]) == TraceFiles((file,), (trace,))


def test_every_trace_once(recording: Path) -> None:
    trace = write_folder(recording, documents())
    assert separate([recording, trace]) == TraceFiles((recording,), (trace,))


def test_a_named_statistics_table_is_a_trace(tmp_path: Path) -> None:
    table = tmp_path / "stats_ui_output_agent_7_dispatch_1.csv"
    table.touch()
    assert separate([table]) == TraceFiles((), (table,))


def test_raw_traces(recording: Path) -> None:
    assert not holds_undecoded([recording, recording / "7_kernel_trace.csv"])
    (recording / "7_shader_engine_0_1.att").touch()
    assert holds_undecoded([recording])
    assert separate([recording]) == TraceFiles((recording,), ())


def test_what_does_not_exist_is_left_to_the_reader_of_recordings(tmp_path: Path) -> None:
    assert separate([tmp_path / "none"]) == TraceFiles((tmp_path / "none",), ())
