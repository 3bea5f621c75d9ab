"""Tiles in LDS get longer rows where lanes read down their columns, and nowhere else."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.access.lds_padding import LdsPadding

pytestmark = pytest.mark.native

KERNEL = """constexpr int kTile = 32;
__global__ void k(const float* in, float* out, int n) {{
  {declared}
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  {used}
}}
"""
COLUMN = "out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];"


def text(declared: str, used: str = COLUMN) -> str:
    return KERNEL.format(declared=declared, used=used)


def test_one_element_is_added_to_each_row(bench: Bench) -> None:
    assert bench.body(LdsPadding(), text("__shared__ float tile[kTile][kTile];")) == (
        """{
  // One element more per row: a column is spread over the banks of LDS.
  __shared__ float tile[kTile][kTile + 1];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}"""
    )


def test_of_two_arrays_the_one_with_columns_is_padded(bench: Bench) -> None:
    body = bench.body(
        LdsPadding(),
        text("__shared__ float rows[8][32], tile[32][2 << 4];", COLUMN + " rows[0][0] = 0.0f;"),
    )
    assert "__shared__ float rows[8][32], tile[32][(2 << 4) + 1];" in body


@pytest.mark.parametrize(
    ("declared", "used", "line", "why"),
    [
        ("__shared__ float tile[32][33];", COLUMN, 3, "rows of 132 bytes already spread"),
        (
            "__shared__ float tile[32][32];",
            "out[threadIdx.x] = tile[threadIdx.y][threadIdx.x];",
            3,
            "no access goes down a column of tile",
        ),
        (
            "__shared__ float tile[32][32];",
            "float* flat = tile[0]; out[threadIdx.x] = flat[threadIdx.x * 32];",
            3,
            "tile is used as more than tile[row][column]",
        ),
        (
            "__shared__ float tile[32][32];",
            COLUMN + " const float* p = &tile[threadIdx.x][0]; out[0] = p[1];",
            3,
            "tile is used as more than tile[row][column]",
        ),
        (
            "__shared__ float tile[32][32];",
            COLUMN + " out[1] = sizeof(tile);",
            3,
            "tile is used as more than tile[row][column]",
        ),
        ("__shared__ float tile[128][128];", COLUMN, 3, "do not fit into 64 KiB of LDS"),
    ],
)
def test_it_says_why_not(bench: Bench, declared: str, used: str, line: int, why: str) -> None:
    changes, refusals = bench.look(LdsPadding(), text(declared, used))
    assert changes == []
    assert [place for place, _ in said(refusals)] == [line]
    assert why in refusals[0].why
