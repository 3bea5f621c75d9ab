"""CSV files of rocprofv3, whole and damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.trace_samples import BASE, sample_trace
from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.csv.rows import parse_integer
from rocm_perf_lab.trace.csv.writer import write_csv
from rocm_perf_lab.trace.load import load
from rocm_perf_lab.trace.model import UNKNOWN

HEADER = (
    "Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,"
    "Start_Timestamp,End_Timestamp,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,"
    "SGPR_Count,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,"
    "Grid_Size_Z"
)


def line(number: int, start: object = None, end: object = None, name: str = "k") -> str:
    start = BASE + 1000 * number if start is None else start
    end = BASE + 1000 * number + 7 if end is None else end
    return (
        f"KERNEL_DISPATCH,Agent 4,1,0,9,{number},3,{name},{number},{start},{end},"
        "0,0,8,0,16,64,1,1,640,1,1"
    )


def kernel_trace(folder: Path, *lines: str, end: str = "\n", header: str = HEADER) -> Path:
    path = folder / "77_kernel_trace.csv"
    path.write_text("\n".join((header, *lines)) + end)
    return path


def test_a_plain_file(tmp_path: Path) -> None:
    trace = load([kernel_trace(tmp_path, line(1), line(2))])
    assert trace.dispatches.start.tolist() == [BASE + 1000, BASE + 2000]
    assert trace.dispatches.duration.tolist() == [7, 7]
    assert trace.processes[0].pid == 77
    assert trace.kernels[0].arch_vgpr == 8
    assert trace.agents[0].id == 4


def test_blank_lines_and_unknown_columns_do_not_matter(tmp_path: Path) -> None:
    lines = ("", line(1) + ",5", "", "", line(2) + ",6")
    trace = load([kernel_trace(tmp_path, *lines, header=HEADER + ",Something_New")])
    assert len(trace.dispatches) == 2
    assert not any("left out" in text for text in trace.warnings)


@pytest.mark.parametrize("cut", [1, 3, 20, 60])
def test_a_last_line_that_is_cut_short_is_left_out(tmp_path: Path, cut: int) -> None:
    """Also when only digits are missing: "64" for "640" would be a wrong number."""
    path = kernel_trace(tmp_path, line(1), line(2))
    path.write_bytes(path.read_bytes()[:-cut])
    trace = load([path])
    assert trace.dispatches.dispatch_id.tolist() == [1]
    assert any("cut short" in text for text in trace.warnings)


@pytest.mark.parametrize("cut", [2, 3, 40, 90])
def test_a_cut_inside_quotes_is_left_out(tmp_path: Path, cut: int) -> None:
    (path,) = (p for p in write_csv(sample_trace(), tmp_path) if "kernel_trace" in p.name)
    for other in tmp_path.iterdir():
        if other != path:
            other.unlink()
    path.write_bytes(path.read_bytes()[:-cut])
    trace = load([path])
    assert trace.dispatches.duration.tolist() == [700, 701]
    assert trace.warnings


@pytest.mark.parametrize(
    ("start", "end"), [("", "5"), ("NaN", "5"), ("9", "5"), ("x", "5"), ("1.5", "5"), ("inf", "7")]
)
def test_times_that_are_no_times_are_left_out(tmp_path: Path, start: str, end: str) -> None:
    trace = load([kernel_trace(tmp_path, line(1, start, end), line(2))])
    assert trace.dispatches.dispatch_id.tolist() == [2]
    assert any("left out 1 dispatches" in text for text in trace.warnings)


def test_the_same_dispatch_id_twice(tmp_path: Path) -> None:
    trace = load([kernel_trace(tmp_path, line(1), line(1), line(2))])
    assert trace.dispatches.dispatch_id.tolist() == [1, 2]
    assert any("already there" in text for text in trace.warnings)


def test_values_that_are_missing_are_unknown_and_not_zero(tmp_path: Path) -> None:
    header = "Kernel_Name,Start_Timestamp,End_Timestamp,Dispatch_Id"
    trace = load([kernel_trace(tmp_path, "k,5,9,1", header=header)])
    rows = trace.dispatches
    assert rows.duration.tolist() == [4]
    for column in (rows.agent, rows.queue, rows.stream, rows.lds, rows.scratch, rows.thread):
        assert column.tolist() == [UNKNOWN]
    assert rows.grid.tolist() == [[UNKNOWN] * 3]
    assert trace.kernels[0].arch_vgpr is None


def test_a_kernel_name_with_commas_quotes_and_newlines(tmp_path: Path) -> None:
    name = 'void f<int, "x">(\n)'
    quoted = '"' + name.replace('"', '""') + '"'
    trace = load([kernel_trace(tmp_path, line(1, name=quoted))])
    assert trace.kernels[0].name == name


def test_times_beyond_the_precision_of_a_double(tmp_path: Path) -> None:
    start = (1 << 60) + 1
    trace = load([kernel_trace(tmp_path, line(1, start, f"{start + 2}.000"))])
    assert trace.dispatches.start.tolist() == [start]
    assert trace.dispatches.duration.tolist() == [2]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("0x1F", 31),
        ("12.000", 12),
        ("9007199254740993.0", 9007199254740993),
        ("1e3", 1000),
        ("nan", None),
        ("inf", None),
        ("1.5", None),
        ("", None),
        ("0x", None),
        (str(1 << 64), None),
        ("1e400", None),
        ("107142E114898652", None),
        ("-1e999999999999999999", None),
    ],
)
def test_integers(text: str, value: object) -> None:
    assert parse_integer(text) == value


def test_agents_by_position_by_node_and_by_type(tmp_path: Path) -> None:
    (tmp_path / "77_agent_info.csv").write_text(
        "Node_Id,Logical_Node_Id,Agent_Type,Cu_Count,Name\n0,0,CPU,64,x\n2,1,GPU,304,gfx942\n"
    )
    for name in ("Agent 1", "2", "GPU 0", "Agent 2"):
        kernel_trace(tmp_path, line(1).replace("Agent 4", name))
        trace = load([tmp_path])
        agent = trace.agents[trace.dispatches.agent[0]]
        assert (agent.id, agent.name) == (2, "gfx942"), name
        assert agent.facts["cu_count"] == 304


def test_counters_without_a_kernel_trace_bring_their_dispatches(tmp_path: Path) -> None:
    files = {path.name: path for path in write_csv(sample_trace(), tmp_path)}
    files["4242_kernel_trace.csv"].unlink()
    trace = load([tmp_path])
    assert trace.dispatches.duration.tolist() == [700, 701, 702]
    assert trace.dispatches.grid.tolist() == [[512 * 128, 1, 1]] * 3
    assert len(trace.counters) == 6
    assert any("products" in text for text in trace.warnings)


def test_counter_values_that_are_no_numbers(tmp_path: Path) -> None:
    write_csv(sample_trace(), tmp_path)
    path = tmp_path / "4242_counter_collection.csv"
    path.write_text(path.read_text().replace("2048.000000", "nan"))
    trace = load([tmp_path])
    assert len(trace.counters) == 5
    assert any("not numbers" in text for text in trace.warnings)


def test_a_file_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "77_kernel_trace.csv"
    path.write_text("name,price\napple,3\n")
    with pytest.raises(RecordingError, match="not a rocprofv3 recording") as caught:
        load([path])
    assert "rocprofv3 --kernel-trace" in (caught.value.next_step or "")


def test_a_header_without_rows(tmp_path: Path) -> None:
    trace = load([kernel_trace(tmp_path)])
    assert len(trace.dispatches) == 0
