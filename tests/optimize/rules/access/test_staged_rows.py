"""Rows that threads read one each go through LDS, in the same order."""

from __future__ import annotations

import pytest
from rule_support import Bench

from rocm_perf_lab.optimize.rules.access.staged_rows import StagedRows
from rocm_perf_lab.optimize.rules.rule import Change, Launch

pytestmark = pytest.mark.native

KERNEL = """__global__ void k(const float* in, float* out, const int* skip, int rows, int columns)
{{
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  {exit}
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) {line}
  out[row] = sum;
}}
"""
EXIT = "if (row >= rows) return;"
LINE = "sum += in[row * columns + c];"


def text(line: str = LINE, exit_: str = EXIT) -> str:
    return KERNEL.format(line=line, exit=exit_)


def test_tiles_of_the_rows_are_read_together(bench: Bench) -> None:
    assert bench.body(StagedRows(), text()) == (
        """{
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  // Tiles of the rows go through LDS: neighbouring threads read neighbouring columns.
  __shared__ float tile[256][8 + 1];
  const int first_row = row - threadIdx.x;
  if (blockDim.x == 256 && first_row < rows) {
    for (int left = 0; left < columns; left += 8) {
      __syncthreads();
#pragma unroll 4
      for (int turn = 0; turn < 8; ++turn) {
        const int cell = turn * 256 + threadIdx.x;
        const int other = min(first_row + cell / 8, rows - 1);
        const int column = min(left + cell % 8, columns - 1);
        tile[cell / 8][cell % 8] = in[other * columns + column];
      }
      __syncthreads();
      const int end = min(left + 8, columns);
      if (row < rows)
        for (int c = left; c < end; ++c) sum += tile[threadIdx.x][c - left];
    }
  } else if (row < rows) {
    for (int c = 0; c < columns; ++c) sum += in[row * columns + c];
  }
  if (row >= rows) return;
  out[row] = sum;
}"""
    )


def test_the_tile_has_the_size_of_the_block_that_was_seen(bench: Bench) -> None:
    situation = bench.situation(text(), launch=Launch((9, 1, 1), (64, 1, 1)))
    (change,) = StagedRows().look(situation)
    assert isinstance(change, Change)
    written = b"".join(edit.text for edit in change.edits)
    assert b"tile[64][8 + 1]" in written
    assert b"blockDim.x == 64" in written


def test_without_a_last_row_nothing_is_clamped(bench: Bench) -> None:
    body = bench.body(StagedRows(), text(exit_="").replace("sum = 0.0f;", "sum = 0.0f; // all"))
    assert "if (blockDim.x == 256) {" in body
    assert "const int other = first_row + cell / 8;" in body
    assert "  } else {\n    for (int c = 0;" in body


@pytest.mark.parametrize(
    ("line", "exit_", "why"),
    [
        ("if (skip[c]) sum += in[row * columns + c];", EXIT, "not read in every turn"),
        ("sum += skip[c] ? in[row * columns + c] : 0.0f;", EXIT, "not read in every turn"),
        ("{ sum += in[row * columns + c]; if (sum > 9) break; }", EXIT, "left in the middle"),
        ("out[row * columns + c] = in[row * columns + c];", EXIT, "the store to out may change"),
        ("sum += in[row * columns + c] + in[row * columns + c + 1];", EXIT, "several rows"),
        ("{ sum += in[row * columns + c]; __syncthreads(); }", EXIT, "__syncthreads is a barrier"),
        (LINE, "if (row >= rows || skip[row]) return;", "it does not return for row >= a number"),
        (LINE, "if (row > rows) return;", "it does not return for row >= a number"),
        (LINE, "if (row >= rows) { out[0] = 1; return; }", "threads return in more than one way"),
        (LINE, EXIT + " out[row] = 1.0f;", "memory is used between the return and it"),
        (LINE, "if (rows > 3)", "the loop is part of another statement"),
    ],
)
def test_it_says_why_not(bench: Bench, line: str, exit_: str, why: str) -> None:
    source = text(line, exit_)
    if exit_.endswith("3)"):
        source = source.replace(exit_, "").replace("  for (int c", "  if (rows > 3) for (int c")
    changes, refusals = bench.look(StagedRows(), source)
    assert changes == []
    assert len(refusals) == 1, refusals
    assert why in refusals[0].why
    assert refusals[0].location is not None


def test_blocks_of_several_dimensions_are_left_alone(bench: Bench) -> None:
    situation = bench.situation(text(), launch=Launch((9, 1, 1), (16, 16, 1)))
    assert [answer.why for answer in StagedRows().look(situation)] == [
        "its blocks are not rows of whole waves"
    ]


@pytest.mark.parametrize(
    "line", ["sum += in[row + c * columns];", "sum += in[columns * c];", "sum += skip[c];"]
)
def test_reads_that_are_no_rows_are_no_place_to_act(bench: Bench, line: str) -> None:
    assert bench.look(StagedRows(), text(line)) == ([], [])
