"""Lines that are read by the thousand give what lines that are read one by one give."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.trace_samples import assert_equal_tables
from rocm_perf_lab.trace.csv import blocks as csv_blocks
from rocm_perf_lab.trace.csv import folder as csv_folder
from rocm_perf_lab.trace.csv import rows as csv_rows
from rocm_perf_lab.trace.csv.dialects import HEADERS
from rocm_perf_lab.trace.csv.folder import read_csv
from rocm_perf_lab.trace.csv.quoted import quoted_lines
from rocm_perf_lab.trace.model import Trace

HEADER = ",".join(HEADERS["kernel_trace"])


def line(number: int, **changes: str) -> str:
    start = 10**15 + 100 * number
    usual = {
        "Kind": "KERNEL_DISPATCH", "Agent_Id": f"Agent {4 + number % 2}",
        "Queue_Id": str(9 - number % 3), "Stream_Id": str(number % 2), "Thread_Id": "77",
        "Dispatch_Id": str(number), "Kernel_Id": str(number % 4),
        "Kernel_Name": f'"void k{number % 4}(int, float*)"', "Correlation_Id": str(number * 3),
        "Start_Timestamp": str(start), "End_Timestamp": str(start + 50),
        "LDS_Block_Size": "512", "Scratch_Size": "0", "VGPR_Count": "16", "Accum_VGPR_Count": "4",
        "SGPR_Count": "32", "Workgroup_Size_X": "256", "Workgroup_Size_Y": "1",
        "Workgroup_Size_Z": "1", "Grid_Size_X": str(1024 * (1 + number % 5)), "Grid_Size_Y": "1",
        "Grid_Size_Z": "2",
    }  # fmt: skip
    return ",".join({**usual, **changes}.values())


def both(file: Path, monkeypatch: pytest.MonkeyPatch, block: int = 5) -> tuple[Trace, Trace]:
    """(by blocks, line by line)"""
    with monkeypatch.context() as patched:
        patched.setattr(csv_rows, "_BLOCK", block)
        patched.setattr(csv_rows, "_CHUNK", 100 * block)
        blocks = read_csv([file])
        patched.setattr(csv_folder, "dispatch_block", lambda _columns, _lines: None)
        return blocks, read_csv([file])


def assert_equal(pair: tuple[Trace, Trace]) -> Trace:
    blocks, lines = pair
    assert_equal_tables(blocks.dispatches, lines.dispatches)
    for part in ("kernels", "agents", "queues", "streams", "warnings"):
        assert getattr(blocks, part) == getattr(lines, part), part
    return blocks


def written(folder: Path, lines: list[str], end: str = "\n") -> Path:
    file = folder / "12_kernel_trace.csv"
    file.write_text("\n".join([HEADER, *lines]) + end)
    return file


@pytest.mark.parametrize("count", [1, 4, 5, 6, 9, 10, 11, 23])
@pytest.mark.parametrize("end", ["\n", ""])
def test_every_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, end: str
) -> None:
    file = written(tmp_path, [line(n) for n in range(count)], end)
    found = assert_equal(both(file, monkeypatch))
    whole = count if end else count - 1  # a last line without its end may be cut
    assert found.dispatches.dispatch_id.tolist() == list(range(whole))
    assert bool(found.warnings and "cut short" in found.warnings[-1]) == (not end)


UNUSUAL = {
    "Start_Timestamp": st.sampled_from(["", "-5", "soon", "9" * 25, "1e15", "12.000", "0x10"]),
    "End_Timestamp": st.sampled_from(["", "0", "later"]),
    "Dispatch_Id": st.sampled_from(["", "3", "7"]),
    "Queue_Id": st.sampled_from(["", "0", "-1"]),
    "Agent_Id": st.sampled_from(["", "Agent 9", "nobody"]),
    "Kernel_Name": st.sampled_from(["", '"other(int)"', "plain.kd"]),
    "Grid_Size_Y": st.sampled_from(["", "x", "8"]),
}
CHANGES = st.sampled_from(sorted(UNUSUAL)).flatmap(
    lambda name: UNUSUAL[name].map(lambda text: (name, text))
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=st.lists(st.tuples(st.integers(0, 16), CHANGES), max_size=4), cut=st.booleans())
def test_unusual_lines(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, tuple[str, str]]], cut: bool
) -> None:
    lines = [line(n) for n in range(17)]
    for place, (name, text) in changes:
        lines[place] = line(place, **{name: text})
    file = written(tmp_path_factory.mktemp("csv"), lines, "\n1,2,3\n" if cut else "\n")
    with pytest.MonkeyPatch.context() as patched:
        assert_equal(both(file, patched))


def test_a_quote_that_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [*(line(n) for n in range(7)), line(7, Kernel_Name='"open'), line(8)]
    found = assert_equal(both(written(tmp_path, lines), monkeypatch))
    assert len(found.dispatches) == 7
    assert "are lost" in found.warnings[-1]


def test_whole_columns_may_be_absent_or_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "12_kernel_trace.csv"
    head = "Kernel_Name,Start_Timestamp,End_Timestamp,Dispatch_Id,Stream_Id\n"
    file.write_text(head + "".join(f"k,{n},{n + 1},{n + 1},\n" for n in range(8)))
    found = assert_equal(both(file, monkeypatch))
    assert found.dispatches.stream.tolist() == [-1] * 8
    assert found.dispatches.grid[0].tolist() == [-1, -1, -1]


FIELD = st.text(alphabet='ab,"\n\r 1', max_size=4)


@given(st.lists(st.lists(FIELD, min_size=3, max_size=3), min_size=1, max_size=4), st.booleans())
@settings(max_examples=300, deadline=None)
def test_lines_that_are_split_are_what_a_csv_reader_reads(
    rows: list[list[str]], escaped: bool
) -> None:
    text = "".join(
        ",".join(f'"{v.replace(chr(34), chr(34) * 2) if escaped else v}"' for v in row) + "\n"
        for row in rows
    )
    found = quoted_lines(text, 3)
    if found is not None:
        read = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        assert [list(values) for values in zip(*found)] == read
    elif not any(set('"\n\r') & set(value) for row in rows for value in row):
        pytest.fail("nothing unusual, and not split")


NUMBER = st.one_of(
    st.integers(0, 10**18 - 1).map(str),
    st.text(alphabet="0123456789", min_size=1, max_size=18),
    st.text(alphabet="0123456789-+_ ./:x", max_size=20),
)


@given(st.lists(NUMBER, min_size=1, max_size=5), st.lists(NUMBER, min_size=5, max_size=5))
@settings(max_examples=500, deadline=None)
def test_digits_are_the_number_that_int_makes_of_them(column: list[str], others: list[str]) -> None:
    text = "".join(f'"{value}","{other}"\n' for value, other in zip(column, others))
    lines = quoted_lines(text, 2)
    assert lines is not None
    plain = all(value.isdigit() and len(value) <= 18 for value in column)
    found = lines.integers(0)
    assert (found is not None) == plain
    assert found is None or found.tolist() == list(map(int, column))


@pytest.mark.parametrize("name", ["void k(int)", "void k\u00e9(int)"])
def test_quoted_lines_give_the_same_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    plain = [line(n, Kernel_Name=f'"{name} {n % 3}"') for n in range(60)]
    rows = list(csv.reader(plain))
    quoted = [",".join(f'"{value}"' for value in row) for row in rows]
    assert quoted_lines("\n".join(quoted) + "\n", len(rows[0])) is not None
    expected = assert_equal(both(written(tmp_path, plain), monkeypatch))
    found = assert_equal(both(written(tmp_path, quoted), monkeypatch))
    assert_equal((found, expected))
    assert len(found.kernels) == 12


@pytest.mark.parametrize(
    "text",
    [
        'x"1","2"\n',
        '"1";"2"\n',
        '"1"\n"2"\n',
        '"1","2","3","4"\n',
        '"1","2"\n"3"\n',
        '"1","2" \n',
        '"1","2"\r\n',
        '"1","2"',
        "",
    ],
)
def test_what_only_resembles_quoted_lines_is_left_to_the_reader(text: str) -> None:
    assert quoted_lines('"a","b"\n', 2) is not None
    assert quoted_lines(text, 2) is None


@pytest.mark.parametrize("quoted", [True, False])
def test_the_first_line_of_a_kernel_tells_its_registers(tmp_path: Path, quoted: bool) -> None:
    rows = list(csv.reader(line(n, Kernel_Id="1", VGPR_Count=str(16 + n)) for n in range(0, 20, 4)))
    quote = '"' if quoted else ""
    lines = [",".join(f'"{v}"' if "," in v else quote + v + quote for v in row) for row in rows]
    (kernel,) = read_csv([written(tmp_path, lines)]).kernels
    assert kernel.arch_vgpr == 16


@pytest.mark.parametrize("chunk", [1, 100, 1 << 21])
def test_an_unusual_line_far_down_keeps_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(csv_rows, "_CHUNK", chunk)
    file = tmp_path / "12_kernel_trace.csv"
    lines = ['"a","b"', *['"1","2"'] * 2500, '"1","2"x', '"3","4"']
    file.write_text("\n".join(lines) + "\n")
    warnings: list[str] = []
    read = list(csv_rows.read_rows(file, warnings))
    assert len(read) == 2500
    assert warnings == [f"{file.name}: rows from line 2502 on are lost: ',' expected after '\"'"]


@pytest.mark.parametrize("quote", ['"', ""])
def test_a_field_without_end_is_refused_quoted_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quote: str
) -> None:
    monkeypatch.setattr(csv_rows, "_LONGEST_FIELD", 1000)
    file = tmp_path / "12_kernel_trace.csv"
    rows = [["a", "b"], ["1", "2"], ["3", "x" * 1001], ["5", "6"]]
    file.write_text("".join(",".join(f"{quote}{v}{quote}" for v in row) + "\n" for row in rows))
    warnings: list[str] = []
    assert [list(row.values) for row in csv_rows.read_rows(file, warnings)] == [["1", "2"]]
    (warning,) = warnings
    assert "field larger than field limit (1000)" in warning


LARGEST = str(2**63 - 1)


@pytest.mark.parametrize("value", ["12", "-3", " 5", "1_0", LARGEST, f"-{LARGEST}"])
def test_a_column_of_numbers_is_what_int_makes_of_each(value: str) -> None:
    assert csv_blocks._parsed(["7", value, "8"]).tolist() == [7, int(value), 8]


@pytest.mark.parametrize("value", ["", " ", "- 5", "0x10", "1.0", "9" * 25])
def test_what_is_no_number_of_64_bits_is_not_made_one(value: str) -> None:
    with pytest.raises((ValueError, OverflowError)):
        csv_blocks._parsed(["7", value, "8"])
