"""Unrolling: the text, the refusals, and that nothing else changes."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.loops.unroll import Unroll
from rocm_perf_lab.optimize.rules.loops.unroll_pragma import UnrollPragma

pytestmark = pytest.mark.native


def kernel(body: str, parameters: str = "const float* in, float* out, int n") -> str:
    return f"__global__ void k({parameters}) {{\n{body}}}\n"


SUM = """  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  out[threadIdx.x] = sum;
"""


def test_a_stride_gets_a_name_and_the_rest_a_loop(bench: Bench) -> None:
    assert (
        bench.body(Unroll(), kernel(SUM), "by 4")
        == """{
  float sum = 0.0f;
  // Four iterations at a time: their loads do not wait for each other.
  const unsigned int stride = gridDim.x * blockDim.x;
  int i = threadIdx.x;
  for (; i + 3LL * stride < n; i += 4 * stride) {
    const int i1 = i + stride, i2 = i + 2 * stride, i3 = i + 3 * stride;
    sum += in[i];
    sum += in[i1];
    sum += in[i2];
    sum += in[i3];
  }
  for (; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  out[threadIdx.x] = sum;
}"""
    )


def test_what_lies_one_step_ahead_does_not_wrap(bench: Bench) -> None:
    """A sum of 32 bits would, for a stride near their end."""
    assert "i + 1LL * stride < n; i += 2 * stride" in bench.body(Unroll(), kernel(SUM), "by 2")


BLOCK = """    int i1 = 0;
    if (n > 0)
        for (int i = n; i >= 1; --i) {
            // The neighbour.
            const float left = in[i - 1];  // to the left
            out[i] = left * 2.0f;
        }
    for (int i = 0; i < 3; i++) out[i] = i1;
"""


def test_names_of_the_body_get_blocks_and_comments_stand_once(bench: Bench) -> None:
    assert (
        bench.body(
            Unroll(), kernel(BLOCK, "const float* __restrict__ in, float* out, int n"), "by 2"
        )
        == """{
    int i1 = 0;
    if (n > 0)
        {
            // Two iterations at a time: their loads do not wait for each other.
            int i = n;
            for (; i - 1LL >= 1; i -= 2) {
                const int i1_2 = i - 1;
                {
                    // The neighbour.
                    const float left = in[i - 1];  // to the left
                    out[i] = left * 2.0f;
                }
                {
                    const float left = in[i1_2 - 1];
                    out[i1_2] = left * 2.0f;
                }
            }
            for (; i >= 1; --i) {
                // The neighbour.
                const float left = in[i - 1];  // to the left
                out[i] = left * 2.0f;
            }
        }
    for (int i = 0; i < 3; i++) out[i] = i1;
}"""
    )


def test_a_variable_from_before_goes_on(bench: Bench) -> None:
    body = "  size_t i = 1;\n  for (; i < count; ++i) out[i] = 1.0f;\n  out[0] = i;\n"
    text = bench.body(Unroll(), kernel(body, "float* out, size_t count"), "by 2")
    assert "for (; i + 1 < count; i += 2) {\n    const unsigned long i1 = i + 1;" in text
    assert text.count("size_t i") == 1


def test_factors_and_titles(bench: Bench) -> None:
    changes, _ = bench.look(Unroll(), kernel(SUM))
    assert [change.title for change in changes] == [
        f"unroll the loop at line 4 by {factor}" for factor in (4, 8, 2)
    ]
    long = bench.body(Unroll(), kernel(SUM), "by 8")
    assert "i4 = i + 4 * stride,\n              i5 = i + 5 * stride" in long
    assert max(map(len, long.splitlines())) <= 100


@pytest.mark.parametrize(
    ("loop", "why"),
    [
        ("for (int i = 0; i < 64; i++) out[i] = 0;", "the compiler unrolls it"),
        ("for (int i = 0; i < n; i++) ;", "its body is empty"),
        ("for (int i = 0; i < n; i++) { if (in[i] > 0) break; out[i] = 1; }", "break or continue"),
        ("for (int i = 0; i < n; i++) { __syncthreads(); out[i] = 1; }", "reached together"),
        ("for (int i = 0; i < n; i++) out[i] = __shfl_xor(in[i], 1);", "reached together"),
        ("for (int i = 0; i < n; i++) out[i] = meet(in[i]);", "meet may call __syncthreads"),
        ("for (int i = 0; i != n; i++) out[i] = 0;", "!= cannot be asked some steps ahead"),
        ("for (int i = 0; i > n; i++) out[i] = 0;", "i counts away from its bound"),
        ("for (int i = 0; i < blockDim.x; i++) out[i] = 0;", "i and its bound are of different"),
        (
            "for (unsigned i = 0; i < n; i++) out[i] = 0;",
            "of different types, unsigned int and int",
        ),
        ("for (int i = 0; i < n; i++) out[ID(i)] = 0;", "i is used inside of a macro"),
        ("for (int i = 0; i < n; i *= 2) out[i] = 0;", "not an addition"),
    ],
)
def test_refusals_say_why_and_where(bench: Bench, loop: str, why: str) -> None:
    meet = "__device__ float meet(float x) { __syncthreads(); return x; }\n#define ID(x) x\n"
    changes, refusals = bench.look(Unroll(), meet + kernel(f"  {loop}\n"))
    assert changes == []
    (line, text), *others = said(refusals)
    assert (line, others) == (4, [])
    assert why in text


def test_a_quiet_function_of_the_user_is_no_hindrance(bench: Bench) -> None:
    twice = "__device__ float twice(float x) { return x * 2; }\n"
    loop = "  for (int i = 0; i < n; i++) out[i] = twice(in[i]);\n  __syncthreads();\n"
    changes, refusals = bench.look(Unroll(), twice + kernel(loop))
    assert [change.title for change in changes] == ["unroll the loop at line 4 by 4"]
    assert refusals == []  # one factor: the store keeps the loads apart in any case
    text = bench.body(Unroll(), twice + kernel(loop))
    assert "// Four iterations at a time: one test for all of them." in text


def test_the_hint_stands_on_its_own_line(bench: Bench) -> None:
    body = (
        "    while (n > 1)\n        n /= 2;\n    if (n) for (int i = 0; i != n; i++) out[i] = 0;\n"
    )
    text = bench.body(UnrollPragma(), kernel(body), "unroll 8")
    assert text.startswith(
        "{\n    #pragma unroll 8\n    while (n > 1)\n        n /= 2;\n    if (n) for"
    )
    _, refusals = bench.look(UnrollPragma(), kernel(body))
    assert said(refusals) == [(4, "a hint needs a line of its own in front of it")]
    again, refusals = bench.look(UnrollPragma(), kernel(text[2:-1]))
    assert said(refusals)[0] == (3, "it has a hint of its own")
    assert again == []


def test_what_is_unrolled_is_done(bench: Bench) -> None:
    for factor in ("by 4", "by 2"):
        once = bench.body(Unroll(), kernel(SUM), factor)
        assert bench.look(Unroll(), kernel(once[2:-1])) == ([], [])
        assert bench.look(UnrollPragma(), kernel(once[2:-1])) == ([], [])
    assert bench.look(UnrollPragma(), kernel(SUM)) == ([], [])
