"""One atomic for a wave: the text, and what is left alone."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.rule import REASSOCIATE
from rocm_perf_lab.optimize.rules.sums.wave_atomics import WaveAtomics

pytestmark = pytest.mark.native

HEAD = "__global__ void k(const int* in, int* total, float* sum, int n) {\n"
INDEX = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"


def kernel(statement: str) -> str:
    return f"{HEAD}{INDEX}  {statement}\n}}\n"


def test_whole_waves_add_up_first(bench: Bench) -> None:
    assert (
        bench.body(WaveAtomics(), kernel("if (i < n) atomicAdd(&total[blockIdx.x], in[i]);"))
        == """{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    // The lanes of a whole wave add up first, then one of them adds to memory.
    if (__popcll(__ballot(1)) == warpSize) {
      int wave_total = in[i];
      for (int offset = warpSize / 2; offset > 0; offset /= 2)
        wave_total += __shfl_down(wave_total, offset);
      if (__lane_id() == 0) atomicAdd(&total[blockIdx.x], wave_total);
    } else {
      atomicAdd(&total[blockIdx.x], in[i]);
    }
  }
}"""
    )


def test_it_is_done_once(bench: Bench) -> None:
    body = bench.body(WaveAtomics(), kernel("atomicMax(total, in[i]);"))
    assert "wave_total = max(wave_total, __shfl_down(wave_total, offset));" in body
    assert bench.look(WaveAtomics(), HEAD.rstrip("{\n") + body + "\n") == ([], [])


REFUSED = {
    "atomicAdd(&total[in[i]], 1);":
        "its lanes may add to different places: i differs from thread to thread",
    "atomicAdd(&total[in[0]], 1);": "its lanes may add to different places: the address is read",
    "in[0] + atomicAdd(total, 1);": "the value before the addition is used",
    "atomicAdd(sum, in[i] * 0.5f);":
        "sums of float depend on their order; --allow reassociate permits it",
    "atomicAdd(total, atomicMax(total, 3));": "what is added does more than to compute",
}  # fmt: skip


@pytest.mark.parametrize("statement", REFUSED)
def test_refusals_say_why(bench: Bench, statement: str) -> None:
    changes, refusals = bench.look(WaveAtomics(), kernel(statement))
    assert changes == []
    assert REFUSED[statement] in [reason for _, reason in said(refusals)]


def test_floats_are_reordered_when_asked(bench: Bench) -> None:
    text = bench.body(WaveAtomics(), kernel("atomicAdd(sum, in[i] * 0.5f);"), "", [REASSOCIATE])
    assert "float wave_total = in[i] * 0.5f;" in text
