"""Threads change places where that puts neighbours side by side and nothing ties them."""

from __future__ import annotations

import pytest
from rule_support import Bench

from rocm_perf_lab.optimize.rules.access.swapped_threads import SwappedThreads

pytestmark = pytest.mark.native

KERNEL = """__global__ void k(const float* in, float* out, int n) {{
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = threadIdx.y + blockIdx.y * blockDim.y;
  {line}
}}
"""


def test_the_indices_come_from_the_place_in_the_block(bench: Bench) -> None:
    line = "if (row < n && col < n) out[row * n + col] = in[row * n + col];"
    assert bench.body(SwappedThreads(), KERNEL.format(line=line)) == (
        """{
  // Neighbouring threads take neighbouring addresses: a wave uses whole cache lines.
  const unsigned int place = threadIdx.y * blockDim.x + threadIdx.x;
  const int row = blockIdx.x * blockDim.x + place / blockDim.y;
  const int col = (place % blockDim.y) + blockIdx.y * blockDim.y;
  if (row < n && col < n) out[row * n + col] = in[row * n + col];
}"""
    )


def test_rows_that_are_in_order_stay(bench: Bench) -> None:
    line = "out[col * n + row] = in[col * n + row];"
    assert bench.look(SwappedThreads(), KERNEL.format(line=line)) == ([], [])


def test_a_transpose_would_lose_what_it_gains(bench: Bench) -> None:
    line = "out[col * n + row] = in[row * n + col];"
    assert bench.look(SwappedThreads(), KERNEL.format(line=line)) == ([], [])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("__syncthreads();", "__syncthreads is a barrier"),
        ("atomicAdd(out, 1.0f);", "atomicAdd is an atomic operation"),
        ("out[0] = __shfl_xor(in[0], 1);", "exchanges values with other lanes"),
        ("__shared__ float s[4];", "they share LDS"),
    ],
)
def test_it_says_why_not(bench: Bench, line: str, why: str) -> None:
    text = KERNEL.format(line="out[row * n + col] = 1.0f;\n  " + line)
    changes, refusals = bench.look(SwappedThreads(), text)
    assert changes == []
    assert len(refusals) == 1
    assert "threads cannot change places: " in refusals[0].why
    assert why in refusals[0].why
