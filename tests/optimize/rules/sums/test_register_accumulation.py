"""Sums in memory become sums in a register where no one can tell."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.sums.register_accumulation import RegisterAccumulation

pytestmark = pytest.mark.native

KERNEL = """__global__ void k(const float* in, float* __restrict__ out, unsigned* counts,
                  int n, int m) {{
  __shared__ float tile[256];
  const int t = threadIdx.x;
{before}  for (int i = 0; i < n; ++i) {line}
}}
"""


def text(line: str, before: str = "") -> str:
    return KERNEL.format(line=line, before=before)


def test_the_bounds_are_asked_before_memory_is_touched(bench: Bench) -> None:
    assert bench.body(RegisterAccumulation(), text("out[t] += in[i] * in[t];")).endswith(
        """
  // The sum stays in a register: memory is touched once, not in every turn.
  if (0 < n) {
    float total = out[t];
    for (int i = 0; i < n; ++i) total += in[i] * in[t];
    out[t] = total;
  }
}"""
    )


def test_the_question_compares_as_the_loop_does(bench: Bench) -> None:
    source = text("out[t] += in[i];").replace("int i = 0", "int i = threadIdx.x")
    assert "  if ((int)(threadIdx.x) < n) {\n" in bench.body(RegisterAccumulation(), source)


def test_a_place_that_was_just_set_needs_no_question(bench: Bench) -> None:
    source = text("tile[t] -= in[i];", "  tile[t] = 0.5f;\n")
    assert bench.body(RegisterAccumulation(), source).endswith(
        """
  // The sum stays in a register: memory is touched once, not in every turn.
  float total = 0.5f;
  for (int i = 0; i < n; ++i) total -= in[i];
  tile[t] = total;
}"""
    )


def test_atomic_additions_of_integers_are_made_once(bench: Bench) -> None:
    source = text("if (in[i] > 0.5f) atomicAdd(&counts[t], 2u);")
    assert bench.body(RegisterAccumulation(), source).endswith(
        """
  unsigned int total = 0;
  for (int i = 0; i < n; ++i) if (in[i] > 0.5f) total += 2u;
  if (total != 0) atomicAdd(&counts[t], total);
}"""
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("if (in[i] > 1) out[t] += 1.0f;", "it is not reached in every turn"),
        ("{ out[t] += 1.0f; __syncthreads(); }", "the loop waits"),
        ("{ out[t] += 1.0f; if (in[i] > 3) break; }", "leaves early"),
        ("out[t] += out[t] + in[i];", "the place is used twice in the loop"),
        ("out[t] += out[i];", "the store to out may change what is read from out"),
        ("{ tile[t] += 1.0f; tile[i] = 2.0f; }", "the store to tile may change"),
        ("atomicAdd(&out[t], 1.0f);", "sums of float depend on their order"),
        ("out[i] = atomicAdd(&counts[t], 1u);", "the result of the addition is used"),
        ("atomicAdd(&counts[t], counts[m]);", "the store to counts may change"),
    ],
)
def test_it_says_why_not(bench: Bench, line: str, why: str) -> None:
    changes, refusals = bench.look(RegisterAccumulation(), text(line))
    assert changes == []
    assert len(refusals) == 1
    assert why in refusals[0].why
    assert said(refusals)[0][0] == 5


def test_arrays_that_may_overlap_are_named(bench: Bench) -> None:
    source = text("out[t] += in[i];").replace(" __restrict__", "")
    changes, refusals = bench.look(RegisterAccumulation(), source)
    assert changes == []
    assert "the store to out may change what is read from in" in refusals[0].why


@pytest.mark.parametrize("line", ["out[i] += 1.0f;", "atomicAdd(&counts[i], 1u);", "n += 0;"])
def test_other_places_in_each_turn_are_no_place_to_act(bench: Bench, line: str) -> None:
    assert bench.look(RegisterAccumulation(), text(line)) == ([], [])
