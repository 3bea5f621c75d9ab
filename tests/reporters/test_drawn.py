"""Drawings of characters: everything stands where its numbers say, and fits."""

from __future__ import annotations

import io

import numpy as np
import pytest

from rocm_perf_lab.report.roofline import Point, Roof, RooflinePicture
from rocm_perf_lab.report.timeline import COPIES, Bars, PathLine, Timeline
from rocm_perf_lab.reporters import terminal
from rocm_perf_lab.reporters.figures.drawn_roofline import drawn_roofline
from rocm_perf_lab.reporters.figures.drawn_timeline import drawn_timeline

HBM = Roof("hbm", "hbm 1 TB/s", True, ((0.01, 1e10), (100.0, 1e14)))
L2 = Roof("l2", "l2 10 TB/s", True, ((0.01, 1e11), (10.0, 1e14)))
UNITS = Roof("vector.fp32", "vector.fp32 100 TFLOP/s", False, ((0.01, 1e14), (1000.0, 1e14)))
PICTURE = RooflinePicture(
    "gfx942",
    (HBM, L2, UNITS),
    (
        Point("slow_kernel", 0, "fabric", 1.0, 1e11, 0.1, 0.9, "hbm"),
        Point("slow_kernel", 0, "l2", 0.1, 1e11, 0.1, 0.9, "hbm"),
        Point("fast_kernel", 1, "fabric", 100.0, 9e13, 0.9, 0.1, "hbm"),
    ),
    ("fill",),
    (0.01, 1000.0),
    (1e9, 1e15),
)


def column(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def bars(label: str, lane: int, *spans: tuple[int, int]) -> Bars:
    begin, end = column(*(s for s, _ in spans)), column(*(e for _, e in spans))
    ones = np.ones(len(spans), dtype=np.int64)
    return Bars(label, lane * ones, begin, end, end - begin, 0 * ones, ones > 0, ones)


TIMELINE = Timeline(
    ("stream 1", "stream 2"),
    (bars("gemm", 0, (0, 500)), bars(COPIES, 1, (500, 1000))),
    PathLine(column(0, 1), column(0, 500), column(500, 1000)),
    1000,
    2,
    None,
    (0, 1000),
)


@pytest.fixture(params=["utf-8", "ascii"])
def encoding(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=request.param)
    monkeypatch.setenv("TERM", "xterm")
    asked = terminal.draws
    monkeypatch.setattr(terminal, "draws", lambda _, characters: asked(stream, characters))
    return str(request.param)


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_drawings_fit(columns: int, encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for drawn in (drawn_roofline(PICTURE), drawn_timeline(TIMELINE)):
        drawn.encode(encoding)
        assert max(map(len, drawn.splitlines())) <= columns
    assert ("\u2571" in drawn_roofline(PICTURE)) == (encoding == "utf-8")


@pytest.mark.usefixtures("encoding")
def test_kernels_stand_below_their_roof() -> None:
    lines = drawn_roofline(PICTURE).splitlines()
    found = {
        letter: next(
            (row, line.index(letter)) for row, line in enumerate(lines) if line[10:].count(letter)
        )
        for letter in "AB"
    }
    (slow_row, slow_column), (fast_row, fast_column) = found["A"], found["B"]
    assert fast_row < slow_row  # more FLOP/s stand higher
    width = 100 - 10
    assert slow_column - 10 == round(2 / 5 * (width - 1))  # 1 of 0.01 to 1000 FLOP per byte
    assert fast_column - 10 == round(4 / 5 * (width - 1))
    text = "\n".join(lines)
    assert "A  slow_kernel" in text
    assert "l2 10 TB/s" not in text
    assert "1 without floating point work" in text


def test_a_timeline_shows_what_ran_when(encoding: str) -> None:
    _, first, path, second, _, scale, *legend = drawn_timeline(TIMELINE).splitlines()
    nothing, on_path = (".", "=") if encoding == "ascii" else ("·", "━")
    name, room = len("stream 1 "), 100 - len("stream 1 ")
    half = -(-room // 2)
    assert first == "stream 1 " + "A" * half + nothing * (room - half)
    assert second[name:].startswith(nothing * (room // 2))
    assert second.endswith("c" * half)
    assert path.strip() == on_path * half
    assert scale.split() == ["0", "1", "us"]
    assert legend == [f"{on_path * 2} critical path", "A: gemm", "c: copies"]
