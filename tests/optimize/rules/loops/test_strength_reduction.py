"""Additions instead of divisions: the text and the refusals."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.loops.strength_reduction import StrengthReduction

pytestmark = pytest.mark.native


def kernel(body: str, parameters: str = "const float* in, float* out, int n, int w") -> str:
    return f"__global__ void k({parameters}) {{\n{body}\n}}\n"


def test_quotient_and_remainder_go_on(bench: Bench) -> None:
    body = """  for (int i = threadIdx.x; i < n; i += blockDim.x * 2) {
    const int x = i % w;
    out[x * n + i / w] = in[i];
  }"""
    assert (
        bench.body(StrengthReduction(), kernel(body))
        == """{
  // i / w and i % w go on by a fixed amount.
  int i = threadIdx.x;
  if (i < n && i >= 0 && w > 0 && w <= 1 << 30) {
    const int quotient_step = (blockDim.x * 2) / w;
    const int remainder_step = (blockDim.x * 2) % w;
    int quotient = i / w;
    int remainder = i % w;
    for (; i < n; i += blockDim.x * 2) {
      const int x = remainder;
      out[x * n + quotient] = in[i];
      quotient += quotient_step;
      remainder += remainder_step;
      if (remainder >= w) {
        remainder -= w;
        ++quotient;
      }
    }
  }
  for (; i < n; i += blockDim.x * 2) {
    const int x = i % w;
    out[x * n + i / w] = in[i];
  }
}"""
    )


def test_a_remainder_alone_and_a_body_without_braces(bench: Bench) -> None:
    body = "  for (unsigned i = 0; i < n; ++i)\n    out[i] = in[i % w];"
    text = kernel(body, "const float* in, float* out, unsigned n, unsigned w")
    assert (
        bench.body(StrengthReduction(), text)
        == """{
  // i % w goes on by a fixed amount.
  unsigned i = 0;
  if (i < n && w > 0 && w <= 1 << 30) {
    const unsigned int remainder_step = 1 % w;
    unsigned int remainder = i % w;
    for (; i < n; ++i) {
      out[i] = in[remainder];
      remainder += remainder_step;
      if (remainder >= w) {
        remainder -= w;
      }
    }
  }
  for (; i < n; ++i)
    out[i] = in[i % w];
}"""
    )
    once = bench.body(StrengthReduction(), text)[2:-1]
    again = kernel(once, "const float* in, float* out, unsigned n, unsigned w")
    assert bench.look(StrengthReduction(), again) == ([], [])


def test_a_width_that_the_compiler_knows_is_left_to_it(bench: Bench) -> None:
    for width in ("5", "kWidth"):
        text = "constexpr int kWidth = 7;\n" + kernel(
            f"  for (int i = 0; i < n; ++i) out[i] = in[i % {width}];"
        )
        assert bench.look(StrengthReduction(), text) == ([], [])


@pytest.mark.parametrize(
    ("loop", "why"),
    [
        ("for (int i = 0; i < n; ++i) { out[i % w] = 1; w++; }", "w is changed in the loop"),
        ("for (int i = n; i > 0; --i) out[i % w] = 1;", "i does not count up to a bound"),
        ("for (long i = 0; i < n; ++i) out[i % w] = 1;", "not of one type of 32 bits"),
        ("for (int i = 0; i < n; ++i) { if (in[i] > 0) continue; out[i / w] = 1; }", "continue"),
        ("for (int i = 0; i < n; ++i) { __syncthreads(); out[i / w] = 1; }", "reached together"),
    ],
)
def test_refusals_say_why(bench: Bench, loop: str, why: str) -> None:
    changes, refusals = bench.look(StrengthReduction(), kernel("  " + loop))
    assert changes == []
    assert why in said(refusals)[0][1]
    assert said(refusals)[0][0] == 2
