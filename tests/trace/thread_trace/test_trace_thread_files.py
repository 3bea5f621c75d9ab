"""Recordings and decoded thread traces, told apart by what is there."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard

from fakes.thread_traces import documents, write_folder
from rocm_perf_lab.trace.thread_trace.detect import find_thread_traces
from rocm_perf_lab.trace.thread_trace.files import TraceFiles, holds_undecoded, separate
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace

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


@pytest.mark.parametrize("end", ["", ".gz", ".zst"])
def test_known_by_what_is_in_it_whatever_it_is_called(tmp_path: Path, end: str) -> None:
    content = documents()
    plain = read_thread_trace(write_folder(tmp_path / "a", content))
    folder = write_folder(tmp_path / "b", content).rename(tmp_path / "renamed")
    for file in folder.iterdir() if end else ():
        pack = gzip.compress if end == ".gz" else zstandard.compress
        file.with_name(file.name + end).write_bytes(pack(file.read_bytes()))
        file.unlink()
    assert separate([folder]) == TraceFiles((), (folder,))
    assert read_thread_trace(folder).code == plain.code
    assert len(read_thread_trace(folder).waves) == len(plain.waves) == 1


def test_what_is_not_a_decoders_is_none_by_its_names(tmp_path: Path) -> None:
    (tmp_path / "code.json").write_text('{"code": []}')
    assert find_thread_traces(tmp_path) == []  # nothing of a decoder beside it
    (tmp_path / "occupancy.json").write_text("{}")
    assert find_thread_traces(tmp_path) == [tmp_path]
    (tmp_path / "code.json").write_text('{"language": "c"}')
    assert find_thread_traces(tmp_path) == []


def test_a_statistics_table_is_known_by_its_columns(tmp_path: Path) -> None:
    table = tmp_path / "costs.csv"
    table.write_text("CodeObj,Vaddr,Instruction,Hitcount,Latency,Stall,Idle,Source\n")
    assert separate([table]) == TraceFiles((), (table,))
    table.write_text("Instruction,Hitcount\n")
    assert separate([table]) == TraceFiles((table,), ())


def test_wave_files_that_are_not_there_are_said(tmp_path: Path) -> None:
    content = documents()
    there, gone = "se0_sm2_sl3_wv0.json", "se0_sm1_sl0_wv0.json"
    content["filenames.json"] = {
        "wave_filenames": {"0": {"2": {"3": {"0": [there, 1, 2]}}, "1": {"0": {"0": [gone, 1, 2]}}}}
    }
    (warning,) = read_thread_trace(write_folder(tmp_path, content)).warnings
    assert warning == f"1 of 2 wave files are not there ({gone}): sums over waves are too small"


def test_raw_traces(recording: Path) -> None:
    assert not holds_undecoded([recording, recording / "7_kernel_trace.csv"])
    (recording / "7_shader_engine_0_1.att").touch()
    assert holds_undecoded([recording])
    assert separate([recording]) == TraceFiles((recording,), ())


def test_what_does_not_exist_is_left_to_the_reader_of_recordings(tmp_path: Path) -> None:
    assert separate([tmp_path / "none"]) == TraceFiles((tmp_path / "none",), ())
