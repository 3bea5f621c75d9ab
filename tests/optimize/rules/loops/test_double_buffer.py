"""Reading for the next iteration: the text, and what is left alone."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.loops.double_buffer import DoubleBuffer

pytestmark = pytest.mark.native

TILES = """__global__ void k(const float* a, float* c, int n) {
  __shared__ float tile[64];
  float sum = 0.0f;
  for (int first = 0; first < n; first += 64) {
    tile[threadIdx.x] = first + threadIdx.x < n ? a[first + threadIdx.x] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += tile[k];
    __syncthreads();
  }
  c[threadIdx.x] = sum;
}
"""


def test_registers_rotate(bench: Bench) -> None:
    assert (
        bench.body(DoubleBuffer(), TILES)
        == """{
  __shared__ float tile[64];
  float sum = 0.0f;
  // Each turn works on what the one before has read, and reads for the next one first.
  int first = 0;
  float a_next = 0;
  if (first < n) {
    a_next = first + threadIdx.x < n ? a[first + threadIdx.x] : 0.0f;
  }
  for (; first < n; first += 64) {
    const float a_now = a_next;
    const int ahead = first + 64;
    if (ahead < n) {
      a_next = ahead + threadIdx.x < n ? a[ahead + threadIdx.x] : 0.0f;
    }
    tile[threadIdx.x] = a_now;
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += tile[k];
    __syncthreads();
  }
  c[threadIdx.x] = sum;
}"""
    )


def test_it_is_done_once(bench: Bench) -> None:
    body = bench.body(DoubleBuffer(), TILES)
    head = TILES.split("{", 1)[0]
    assert bench.look(DoubleBuffer(), f"{head}{body}\n") == ([], [])


REFUSED = {
    "break": ("    __syncthreads();", "    if (n == 3) break;\n    __syncthreads();",
              "the loop is left in the middle"),
    "atomic": ("sum += tile[k];", "atomicAdd(&c[k], tile[k]);",
               "something in the loop is atomic, or it is not known what it does"),
    "hint": ("  for (int first", "#pragma unroll 2\n  for (int first", "it has a hint of its own"),
    "changing": ("    __syncthreads();\n  }", "    __syncthreads();\n    n -= 1;\n  }", None),
    "own store": ("    __syncthreads();\n  }", "    c[first] = sum;\n    __syncthreads();\n  }",
                  "the store to c may change what is read from a"),
    "store in front, seen behind a barrier": (
        "  float sum", "  c[threadIdx.x] = 1.0f;\n  float sum",
        "the store to c may change what is read from a"),
    "moving place": ("a[first + threadIdx.x] : 0.0f", "a[first + (int)sum] : 0.0f",
                     "what it reads depends on sum"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_why(bench: Bench, name: str) -> None:
    old, new, why = REFUSED[name]
    assert old in TILES
    changes, refusals = bench.look(DoubleBuffer(), TILES.replace(old, new, 1))
    assert changes == []
    assert [reason for _, reason in said(refusals)] == ([] if why is None else [why])


def test_short_loops_and_lds_are_left_to_others(bench: Bench) -> None:
    short = "float s = 0; for (int i = 0; i < n; ++i) s += a[i];\n  c[0] = s;"
    assert bench.look(DoubleBuffer(), TILES.split("{")[0] + "{\n  " + short + "\n}\n") == ([], [])
    lds = TILES.replace("? a[first + threadIdx.x]", "? tile[first % 64]")
    assert bench.look(DoubleBuffer(), lds) == ([], [])
