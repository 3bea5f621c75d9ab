"""Stretches of elements are dealt to the threads in turn when no order can be seen."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.access.interleaved_chunks import InterleavedChunks

pytestmark = pytest.mark.native

HEAD = "__device__ float other(float x);\n"
KERNEL = """__global__ void k(const float* in, float* out, const int* map, int n, int m) {{
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int begin = thread * 8;
{before}  for (int i = 0; i < 8; ++i) {{
    const int at = begin + i;
    {line}
  }}
}}
"""


def text(line: str, before: str = "") -> str:
    return HEAD + KERNEL.format(line=line, before=before)


def test_overlaps_are_tested(bench: Bench) -> None:
    assert bench.body(InterleavedChunks(), text("if (at < n) out[at] = in[at];")) == (
        """{
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  // Neighbouring threads take neighbouring elements: a wave uses whole cache lines.
  const size_t count = size_t(gridDim.x) * blockDim.x * 8;
  const bool apart = in == out || in + count <= out || out + count <= in;
  const int begin = apart ? thread : thread * 8;
  const int step = apart ? gridDim.x * blockDim.x : 1;
  for (int i = 0; i < 8; ++i) {
    const int at = begin + i * step;
    if (at < n) out[at] = in[at];
  }
}"""
    )


def test_what_cannot_overlap_is_not_tested(bench: Bench) -> None:
    body = bench.body(InterleavedChunks(), text("if (at < n) out[at] *= map[at];"))
    assert (
        """  const int threads = gridDim.x * blockDim.x;
  const int begin = thread;
  for"""
        in body
    )
    assert "const int at = begin + i * threads;" in body
    assert "apart" not in body


@pytest.mark.parametrize(
    ("line", "before", "why"),
    [
        ("out[at] = in[at + 1];", "", "in is read at other elements than out is written"),
        ("out[map[at]] = in[at];", "", "a store goes elsewhere than to the element of its turn"),
        ("out[at] = out[at + 1];", "", "out is read at other elements than out is written"),
        ("out[at] = i;", "", "i is used by itself"),
        ("out[at] = threadIdx.x;", "", "threadIdx.x is used by itself"),
        ("out[at] = thread;", "", "thread differs from thread to thread"),
        ("sum += in[at];", "  float sum = 0.0f;\n", "sum is carried from one turn to the next"),
        ("out[at] = n--;", "", "n is carried from one turn to the next"),
        ("if (at >= n) break; out[at] = 0.0f;", "", "the loop is left in the middle"),
        ("out[at] = other(1.0f);", "", "what other does is not known"),
        ("__syncthreads(); out[at] = 1.0f;", "", "__syncthreads is a barrier"),
        ("out[at] = 1.0f;", "  if (begin >= n) return;\n", "it returns early or stores elsewhere"),
        ("out[at] = 1.0f;", "  if (n > 3)\n", "not every thread may come to it"),
    ],
)
def test_it_says_why_not(bench: Bench, line: str, before: str, why: str) -> None:
    changes, refusals = bench.look(InterleavedChunks(), text(line, before))
    assert changes == []
    assert len(refusals) == 1
    assert why in refusals[0].why
    assert said(refusals)[0][0] == 5 + before.count("\n")


def test_a_loop_over_other_elements_is_no_place_to_act(bench: Bench) -> None:
    source = text("out[at] = in[at];").replace("thread * 8", "thread * 9")
    assert bench.look(InterleavedChunks(), source) == ([], [])
