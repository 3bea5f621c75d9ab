"""Checks that leave the loop: the text and the refusals."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.loops.bounds_check import BoundsCheck

pytestmark = pytest.mark.native


def kernel(body: str, parameters: str = "const float* in, float* out, int n, int r") -> str:
    return f"__global__ void k({parameters}) {{\n  int i = threadIdx.x;\n{body}\n}}\n"


WINDOW = """  float sum = 0.0f;
  for (int d = -r; d <= r; ++d) {
    if (i + d >= 0 && i + d < n) sum += in[i + d];
  }
  out[i] = sum;"""


def test_the_loop_starts_and_ends_where_the_check_holds(bench: Bench) -> None:
    assert (
        bench.body(BoundsCheck(), kernel(WINDOW), "fold")
        == """{
  int i = threadIdx.x;
  float sum = 0.0f;
  // The loop starts and ends where the check holds.
  const int last = min(r, n - i - 1);
  for (int d = max(-r, -i); d <= last; ++d) {
    sum += in[i + d];
  }
  out[i] = sum;
}"""
    )


def test_threads_within_the_bounds_get_their_own_loop(bench: Bench) -> None:
    assert (
        bench.body(BoundsCheck(), kernel(WINDOW), "split")
        == """{
  int i = threadIdx.x;
  float sum = 0.0f;
  // Most threads never leave the bounds: they need no check.
  if ((long long)i - r >= 0 && (long long)i + r < n) {
    for (int d = -r; d <= r; ++d) {
      sum += in[i + d];
    }
  } else {
    for (int d = -r; d <= r; ++d) {
      if (i + d >= 0 && i + d < n) sum += in[i + d];
    }
  }
  out[i] = sum;
}"""
    )


def test_names_other_conditions_and_blocks(bench: Bench) -> None:
    body = """  for (int row = 0; row < r; ++row)
    for (int d = 0; d < 2 * r; ++d) {
      const int j = d + i - r;
      if (row > 1 && 0 < j && n - 1 >= j) {
        out[j] += in[row];
        out[row] += in[j];
      }
    }"""
    assert (
        bench.body(BoundsCheck(), kernel(body), "fold")
        == """{
  int i = threadIdx.x;
  for (int row = 0; row < r; ++row)
    {
      // The loop starts and ends where the check holds.
      const int end = min(2 * r, (n - 1) - i + r + 1);
      for (int d = max(0, -i + r + 1); d < end; ++d) {
        const int j = d + i - r;
        if (row > 1) {
          out[j] += in[row];
          out[row] += in[j];
        }
      }
    }
}"""
    )
    text = bench.body(BoundsCheck(), kernel(body.replace("row > 1 && ", "")), "fold")
    assert "d + i - r;\n        out[j] += in[row];\n        out[row] += in[j];\n      }" in text


@pytest.mark.parametrize(
    "loop",
    [
        "for (int d = -r; d <= r; ++d) { if (i + d < n) out[d] = 1; else out[d] = 2; }",
        "for (int d = -r; d <= r; ++d) { out[d] = 1; if (i + d < n) out[d] = 2; }",
        "for (int d = -r; d <= r; ++d) if (in[d] > 0 && i < n) out[d] = 1;",
        "for (int d = -r; d <= r; ++d) if (i * d < n) out[d] = 1;",
        "for (int d = -r; d <= r; ++d) if (i + d < n || r > 3) out[d] = 1;",
        "for (int d = -r; d <= r; ++d) if (i + d < n) { out[d] = 1; i += 1; }",
    ],
)
def test_other_conditions_are_no_place_for_it(bench: Bench, loop: str) -> None:
    assert bench.look(BoundsCheck(), kernel("  " + loop)) == ([], [])


@pytest.mark.parametrize(
    ("loop", "why"),
    [
        ("for (int d = r; d >= 0; --d) if (i + d < n) out[d] = 1;", "that count up"),
        ("for (int d = 0; d < r; d += 2) if (i + d < n) out[d] = 1;", "does not count by one"),
        ("for (int d = 0; d < r; ++d) if (i + d < n) { __syncthreads(); }", "reached together"),
        (
            "int c = 0; for (int d = 0; d < r; ++d) if (i + d < n && c++ < 9) out[d] = 1;",
            "its condition does more than to compare",
        ),
        ("for (int d = 0; d < r; ++d) if (i + d < n) out[d] = other(in[d]);", "is not known"),
    ],
)
def test_refusals_say_why(bench: Bench, loop: str, why: str) -> None:
    text = kernel(f"  {loop}").replace("__global__", "__device__ float other(float);\n__global__")
    changes, refusals = bench.look(BoundsCheck(), text)
    assert changes == []
    assert why in said(refusals)[0][1]
    assert said(refusals)[0][0] == 4
