"""Tiles of a product in LDS: the text, and what is left alone."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.access.tiled_product import TiledProduct
from rocm_perf_lab.optimize.rules.rule import CannotChange, Change, Launch

pytestmark = pytest.mark.native

PRODUCT = """__global__ void k(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
"""


def test_both_operands_are_read_side_by_side(bench: Bench) -> None:
    assert (
        bench.body(TiledProduct(), PRODUCT)
        == """{
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  // Tiles of a and b go through LDS: every element is read once a block.
  __shared__ float a_tile[16][16 + 1];
  __shared__ float b_tile[16][16 + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int first_row = row - tx;
  const int first_col = col - ty;
  if (blockDim.x == 16 && blockDim.y == 16 && first_row < n && first_col < n) {
    for (int left = 0; left < n; left += 16) {
      __syncthreads();
      a_tile[ty][tx] = a[min(first_row + ty, n - 1) * n + min(left + tx, n - 1)];
      b_tile[ty][tx] = b[min(left + ty, n - 1) * n + min(first_col + tx, n - 1)];
      __syncthreads();
      const int end = min(left + 16, n);
      if (row < n && col < n)
        for (int k = left; k < end; ++k) sum += a_tile[tx][k - left] * b_tile[k - left][ty];
    }
  } else if (row < n && col < n) {
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  }
  if (row >= n || col >= n) return;
  c[row * n + col] = sum;
}"""
    )


REFUSED = {
    "nested": ("  for (int k", "  if (n > 3)\n  for (int k",
               "the loop is part of another statement: not every thread may come to it"),
    "step": ("++k", "k += 2", "k does not count up by one to a bound"),
    "unsigned": ("int k = 0", "unsigned int k = 0", "its counter, bound, row or column is no int"),
    "waits": ("  c[row", "  __syncthreads();\n  c[row", "__syncthreads is a barrier"),
    "chosen": ("sum += a", "if (k % 2) sum += a", "the element is not read in every turn"),
    "stored": ("sum += a[row * n + k]", "c[k] = a[row * n + k]",
               "the store to c may change what is read from a"),
    "two ways": ("  float", "  if (n == 7) return;\n  float",
                 "threads return in more than one way"),
    "other exit": ("row >= n ||", "row > n ||", "it does not return for row or col >= a number"),
    "memory": ("  float sum = 0.0f;", "  float sum = c[row * n + col];",
               "memory is used between the return and it"),
    "bound": ("k < n", "k < row", "row differs from thread to thread"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_why(bench: Bench, name: str) -> None:
    old, new, why = REFUSED[name]
    changes, refusals = bench.look(TiledProduct(), PRODUCT.replace(old, new))
    assert changes == []
    assert [reason for _, reason in said(refusals)] == [why]


SILENT = {
    "a row of every thread": ("b[k * n + col]", "b[k]"),
    "the same direction": ("b[k * n + col]", "b[k * n + row]"),
    "a row that is no place in the block": ("const int row = ", "int base = n; base += 1;\n"
                                            "  const int row = base + "),
}  # fmt: skip


@pytest.mark.parametrize("name", SILENT)
def test_other_loops_are_none_of_its_business(bench: Bench, name: str) -> None:
    changes, refusals = bench.look(TiledProduct(), PRODUCT.replace(*SILENT[name]))
    assert (changes, refusals) == ([], [])


@pytest.mark.parametrize(("block", "side"), [((8, 8, 1), 8), ((32, 32, 1), 32), ((64, 4, 1), 0)])
def test_the_tile_is_as_large_as_the_blocks(
    bench: Bench, block: tuple[int, int, int], side: int
) -> None:
    situation = bench.situation(PRODUCT, launch=Launch((2, 2, 1), block))
    (answer,) = TiledProduct().look(situation)
    if side:
        assert isinstance(answer, Change)
        assert f"a_tile[{side}][{side} + 1]" in answer.edits[1].text.decode()
    else:
        assert isinstance(answer, CannotChange)
        assert answer.why == "its blocks are not squares of 8, 16 or 32 threads"
