"""Reading what ROCm's trace decoder writes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from fakes.recordings import Known, recording
from fakes.thread_traces import CODE, LOAD, SPILL, STEPS, WAIT, documents, write_folder
from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.thread_trace.detect import dispatch_number, find_thread_traces
from rocm_perf_lab.trace.thread_trace.json import LARGEST, integer_rows
from rocm_perf_lab.trace.thread_trace.model import ThreadTrace, Wait
from rocm_perf_lab.trace.thread_trace.reader import read_thread_trace

WAVE_FILE = "se0_sm2_sl3_wv0.json"


def read(parent: Path, content: dict[str, Any]) -> ThreadTrace:
    return read_thread_trace(write_folder(parent, content))


def costs(trace: ThreadTrace) -> list[tuple[str, int, int, int, int]]:
    return [(c.text, c.hits, c.latency, c.stall, c.idle) for c in trace.code]


def test_everything_of_a_folder_is_read(tmp_path: Path) -> None:
    trace = read(tmp_path, documents())
    assert trace.warnings == ()
    assert trace.kernels == ("_Z4loopPf",)
    assert costs(trace) == [(row[0], *row[6:]) for row in CODE[1:]]
    assert trace.code[2].source == "b.h:7 -> a.hip:4"
    assert trace.code[6].source == ""  # the decoder's ";" for "not known"
    (wave,) = trace.waves
    assert (wave.engine, wave.cu, wave.simd, wave.slot) == (0, 1, 2, 3)
    assert (wave.begin, wave.end) == (100, 1404)
    columns = (getattr(wave.steps, n) for n in ("time", "category", "stall", "duration", "line"))
    assert [list(step) for step in zip(*columns)] == STEPS
    assert wave.waits == (Wait(WAIT, (LOAD, SPILL)),) * 2
    assert trace.occupancy is not None
    assert trace.occupancy.time.tolist() == [100, 140, 540, 1404]
    assert trace.occupancy.begins.tolist() == [1, 1, 0, 0]
    assert trace.clock_mhz == {0: 2000.0}


def test_columns_are_found_by_their_names(tmp_path: Path) -> None:
    content = documents()
    content["code.json"]["code"] = [["new", *reversed(row), "more"] for row in CODE]
    content["code.json"]["header"] = (
        "ServiceType,Idle,Stall,Latency,Hit,Vaddr,Codeobj,Source,LineNumber,_,ISA,Issued"
    )
    steps = content[WAVE_FILE]["wave"]["instructions"]
    content[WAVE_FILE]["wave"]["instructions"] = [[*step, 99] for step in steps]
    changed = read(tmp_path / "changed", content)
    plain = read(tmp_path / "plain", documents())
    assert changed.code == plain.code
    assert changed.waves[0].steps.line.tolist() == plain.waves[0].steps.line.tolist()


def test_code_may_be_null(tmp_path: Path) -> None:
    content = documents()
    content["code.json"]["code"] = None
    del content[WAVE_FILE]
    trace = read(tmp_path, content)
    assert (trace.code, trace.waves, trace.kernels) == ((), (), ())


def test_missing_and_damaged_documents_leave_the_rest(tmp_path: Path) -> None:
    content = documents()
    del content["occupancy.json"], content["realtime.json"]
    content["se0_sm1_sl0_wv0.json"] = [1]
    content["se0_sm1_sl1_wv0.json"] = {"wave": {"begin": 7, "end": 3}}
    trace = read(tmp_path, content)
    assert len(trace.waves) == 1
    assert trace.code
    assert trace.occupancy is None
    assert trace.clock_mhz == {}
    assert [w.partition(":")[0].rpartition("/")[2] for w in trace.warnings] == [
        "se0_sm1_sl0_wv0.json is not a document of a thread trace",
        "se0_sm1_sl1_wv0.json",
        "occupancy.json cannot be read",
    ]


@pytest.mark.parametrize(
    "row",
    [
        ["v_nop", 0, 99, "", 1, 0, 1, 4, 5, 0],  # more stall than latency
        ["v_nop", 0, 99, "", 1, 0, -1, 4, 0, 0],
        ["v_nop", 0, 99, "", 1, 0, 1.5, 4, 0, 0],
        ["v_nop", 0, 99, "", 1, 0, True, 4, 0, 0],
        ["v_nop", 0, 99, "", 1, 0, 1, 4],
        [None, 0, 99, "", 1, 0, 1, 4, 0, 0],
        "v_nop",
        None,
    ],
)
def test_damaged_rows_are_left_out_and_counted(row: Any, tmp_path: Path) -> None:
    content = documents()
    content["code.json"]["code"].append(row)
    trace = read(tmp_path, content)
    assert costs(trace) == [(row[0], *row[6:]) for row in CODE[1:]]
    assert trace.warnings == ("code.json: left out 1 damaged rows",)


def test_lost_and_damaged_instructions_are_told(tmp_path: Path) -> None:
    content = documents()
    content[WAVE_FILE]["num_stitched"] -= 3
    content[WAVE_FILE]["wave"]["instructions"] += [[1, 2], [1, 2, 9, 8, 3], [1, 2, None, 4, 5]]
    trace = read(tmp_path, content)
    assert len(trace.waves[0].steps) == len(STEPS)
    damaged, lost = trace.warnings
    assert "left out 3 damaged instructions" in damaged
    assert "lost 3 of 12 instructions" in lost
    assert "--att-buffer-size" in lost


def test_rows_of_integers() -> None:
    def kept(rows: object) -> tuple[list[list[int]], int]:
        matrix, damaged = integer_rows(rows, 2)
        return matrix.tolist(), damaged

    assert kept(None) == ([], 0)
    assert kept([]) == ([], 0)
    assert kept([[1, 2], [3, 4]]) == ([[1, 2], [3, 4]], 0)
    assert kept([[1, 2, "x"], [3, 4, 5]]) == ([[1, 2], [3, 4]], 0)
    assert kept([[1, -2], [3, LARGEST + 1], [5, LARGEST]]) == ([[5, LARGEST]], 2)
    assert kept([[1, 2], [1 << 70, 2]]) == ([[1, 2]], 1)
    assert kept([[1], [2]]) == ([], 2)
    assert kept([1, [2, 2]]) == ([[2, 2]], 1)
    assert kept([[True, 1], [1.0, 1]]) == ([], 2)


def test_a_folder_without_code_says_how_to_record(tmp_path: Path) -> None:
    with pytest.raises(RecordingError) as caught:
        read_thread_trace(tmp_path)
    assert "no code.json" in caught.value.cause
    assert "rocprofv3 --att" in (caught.value.next_step or "")


def test_code_without_a_needed_column_is_an_error(tmp_path: Path) -> None:
    content = documents()
    content["code.json"]["header"] = "ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency"
    with pytest.raises(RecordingError, match="has no column Stall, Idle"):
        read(tmp_path, content)


def test_folders_are_found_in_the_order_of_dispatches(tmp_path: Path) -> None:
    for number in (10, 9, 1):
        folder = tmp_path / "host" / f"ui_output_agent_7_dispatch_{number}"
        folder.mkdir(parents=True)
        (folder / "code.json").write_text("{}")
    (tmp_path / "ui_output_agent_7_dispatch_2").mkdir()  # empty: never decoded
    found = find_thread_traces(tmp_path)
    assert [dispatch_number(folder) for folder in found] == [1, 9, 10]
    assert find_thread_traces(found[0]) == found[:1]
    assert dispatch_number(tmp_path) is None


def write_table(path: Path, header: list[str], rows: list[list[Any]]) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC).writerows([header, *rows])
    return path


def test_a_statistics_table_with_columns_in_another_order(tmp_path: Path) -> None:
    header = ["Source", "Idle", "Stall", "New", "Latency", "Hitcount", "Instruction", "Vaddr"]
    rows = [[r[3], r[9], r[8], "x", r[7], r[6], r[0], r[5]] for r in CODE]
    trace = read_thread_trace(write_table(tmp_path / "stats.csv", header, rows))
    assert trace.kernels == ("_Z4loopPf",)
    assert trace.waves == ()
    assert trace.warnings == ()
    assert costs(trace) == [(row[0], *row[6:]) for row in CODE[1:]]


def test_a_statistics_table_that_is_none(tmp_path: Path) -> None:
    other = write_table(tmp_path / "other.csv", ["Name", "Calls"], [["k", 1]])
    with pytest.raises(RecordingError, match="has no column Instruction"):
        read_thread_trace(other)
    with pytest.raises(RecordingError, match="cannot be read"):
        read_thread_trace(tmp_path / "absent.csv")


@pytest.mark.parametrize(
    ("dispatch", "sums", "mhz"),
    [(1, (10008, 133640, 86648, 26432), 2083), (2, (7000, 130376, 97792, 8456), 1884)],
)
def test_recorded_folder_and_table_agree(
    dispatch: int, sums: tuple[int, ...], mhz: int, known: Known
) -> None:
    parent = known("mi300x-batched-gemm-trace")
    name = f"ui_output_agent_5600_dispatch_{dispatch}"
    folder = read_thread_trace(parent / name)
    table = read_thread_trace(parent / f"stats_{name}.csv")
    assert folder.warnings == table.warnings == ()
    for trace in (folder, table):
        assert tuple(map(sum, list(zip(*costs(trace)))[1:])) == sums
    assert costs(folder) == costs(table)
    assert [(c.address, c.source) for c in folder.code] == [
        (c.address, c.source) for c in table.code
    ]
    assert len(folder.waves) == 4
    assert sum(len(wave.steps) for wave in folder.waves) == sums[0]
    assert sum(int(wave.steps.duration.sum()) for wave in folder.waves) == sums[1]
    assert sum(int(wave.steps.stall.sum()) for wave in folder.waves) == sums[2]
    assert int(folder.clock_mhz[0]) == mhz


@pytest.mark.parametrize(("dispatch", "lines"), [(1, 281), (2, 3256)])
def test_all_code_of_a_recording_is_read(dispatch: int, lines: int) -> None:
    name = f"ui_output_agent_5600_dispatch_{dispatch}"
    assert len(read_thread_trace(recording("mi300x-batched-gemm-trace") / name).code) == lines


def test_json_that_is_nested_too_deeply_is_damage(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, documents())
    (folder / "occupancy.json").write_text("[" * 100_000)
    (warning,) = read_thread_trace(folder).warnings
    assert "occupancy.json is damaged" in warning
    (folder / "code.json").write_bytes(json.dumps(documents()["code.json"]).encode()[:-9])
    with pytest.raises(RecordingError, match="not valid JSON"):
        read_thread_trace(folder)
