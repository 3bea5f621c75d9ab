"""The last steps of a tree in LDS become shuffles of one wave."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.sums.wave_reduction import WaveReduction

pytestmark = pytest.mark.native

KERNEL = """__global__ void k(const float* in, float* out, int n) {{
  __shared__ float tile[256];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  {loop} {{
    if (threadIdx.x < s) {line}
    __syncthreads();
  }}
  {behind}
}}
"""
LOOP = "for (unsigned s = blockDim.x / 2; s > 0; s >>= 1)"
LINE = "tile[threadIdx.x] += tile[threadIdx.x + s];"
BEHIND = "if (threadIdx.x == 0) out[blockIdx.x] = tile[0];"


def text(line: str = LINE, behind: str = BEHIND, loop: str = LOOP) -> str:
    return KERNEL.format(line=line, behind=behind, loop=loop)


def test_one_wave_finishes(bench: Bench) -> None:
    assert bench.body(WaveReduction(), text()) == (
        """{
  __shared__ float tile[256];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const unsigned int wave = warpSize;
  unsigned s = blockDim.x / 2;
  for (; s > wave / 2; s >>= 1) {
    if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
    __syncthreads();
  }
  // The last steps are those of one wave: shuffles in the same order, without barriers.
  if (threadIdx.x < wave) {
    float value = tile[threadIdx.x];
    for (; s > 0; s >>= 1) value += __shfl_down(value, s);
    if (threadIdx.x == 0) tile[0] = value;
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}"""
    )


def test_other_combinations_keep_their_words(bench: Bench) -> None:
    line = "tile[threadIdx.x] = fmaxf(tile[threadIdx.x], tile[threadIdx.x + s]);"
    body = bench.body(WaveReduction(), text(line))
    assert "for (; s > 0; s >>= 1) value = fmaxf(value, __shfl_down(value, s));" in body


def test_a_second_stride_of_the_same_name_stays_apart(bench: Bench) -> None:
    behind = "out[0] = tile[0];\n  for (unsigned s = 0; s < 3; ++s) out[s] = 0.0f;"
    body = bench.body(WaveReduction(), text(behind=behind))
    assert (
        "  {\n    const unsigned int wave = warpSize;\n    unsigned s = blockDim.x / 2;\n" in body
    )
    assert "    __syncthreads();\n  }\n  out[0] = tile[0];" in body


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (text(loop=LOOP.replace("blockDim.x / 2", "128")), "s does not start at half of blockDim"),
        (text(behind="out[threadIdx.x] = tile[threadIdx.x];"), "for more than element 0"),
        (text(behind="if (n) tile[threadIdx.x] = 1; out[0] = tile[n];"), "more than element 0"),
        (text(behind="tile[0] += 1.0f;"), "for more than element 0"),
        (
            text("tile[threadIdx.x] = n ? tile[threadIdx.x] : tile[threadIdx.x + s];"),
            "the other element is not used exactly once",
        ),
        (
            text().replace(
                "  tile[threadIdx.x] = in", "  if (n < 3) return;\n  tile[threadIdx.x] = in"
            ),
            "threads return before the reduction",
        ),
        (text(loop="if (n) " + LOOP), "the reduction is part of another statement"),
    ],
)
def test_it_says_why_not(bench: Bench, source: str, why: str) -> None:
    changes, refusals = bench.look(WaveReduction(), source)
    assert changes == []
    assert len(refusals) == 1
    assert why in refusals[0].why
    assert said(refusals)[0][0] in (5, 6)


@pytest.mark.parametrize(
    "source",
    [
        text(loop=LOOP.replace("s >>= 1", "s -= 1")),
        text(loop=LOOP.replace("s > 0", "s > 7")),
        text(line="tile[threadIdx.x] += tile[threadIdx.x + 2 * s];"),
        text(line="tile[threadIdx.x + s] += tile[threadIdx.x];"),
    ],
)
def test_other_loops_are_no_place_to_act(bench: Bench, source: str) -> None:
    assert bench.look(WaveReduction(), source) == ([], [])
