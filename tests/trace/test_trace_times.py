"""Recordings whose times cannot be used say what is wrong with them, down to the exit."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from fakes.trace_samples import sample_trace
from rocm_perf_lab.cli.main import main
from rocm_perf_lab.trace.rocpd.writer import write_rocpd
from rocm_perf_lab.trace.times import ABSENT, BACKWARDS, NEGATIVE, trouble


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        (0, 0, None),
        (5, 9, None),
        (-1, 9, ABSENT),
        (5, -1, ABSENT),
        (-7, 9, NEGATIVE),
        (5, -3, NEGATIVE),
        (9, 5, BACKWARDS),
    ],
)
def test_a_pair_of_times(start: int, end: int, said: str) -> None:
    assert trouble(start, end) == said


def recording(folder: Path, start: Any, end: Any) -> Path:
    path = folder / "1_results.db"
    write_rocpd(sample_trace(), path)
    with sqlite3.connect(path) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        (name,) = (row[0] for row in tables if row[0].startswith("rocpd_kernel_dispatch"))
        database.execute(f'UPDATE "{name}" SET start = ?, "end" = ?', (start, end))
    return path


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        (-500, -100, NEGATIVE),
        ("early", "late", f"{ABSENT} (stored as text)"),
        (900, 100, BACKWARDS),
    ],
)
def test_all_dispatches_were_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], start: Any, end: Any, said: str
) -> None:
    assert main(["profile", "--from", str(recording(tmp_path, start, end))]) == 5
    err = capsys.readouterr().err
    assert "left out 3 rows of rocpd_kernel_dispatch" in err
    assert said in err


HEADER = "Kernel_Name,Dispatch_Id,Agent_Id,Start_Timestamp,End_Timestamp\n"


@pytest.mark.parametrize(
    ("times", "said"), [("-9,-5", NEGATIVE), (",", ABSENT), ("soon,later", ABSENT)]
)
def test_all_lines_were_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], times: str, said: str
) -> None:
    (tmp_path / "1_kernel_trace.csv").write_text(f"{HEADER}gemm,1,4,{times}\n")
    assert main(["profile", "--from", str(tmp_path)]) == 5
    assert f"left out 1 dispatches {said}" in capsys.readouterr().err
