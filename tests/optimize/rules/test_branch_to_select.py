"""Branches that only choose a value become choices."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.branch_to_select import BranchToSelect

pytestmark = pytest.mark.native

KERNEL = """__global__ void k(const float* in, float* out, int n, int m) {{
  float x = in[threadIdx.x], y = 0.0f;
  {line}
  out[threadIdx.x] = x + y;
}}
"""


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("if (x > 0.5f) y = x * 2.0f; else y = -x;", "y = x > 0.5f ? x * 2.0f : -x;"),
        ("if (x > 0.5f) { y = x; }", "y = x > 0.5f ? x : y;"),
        ("if (n > m) y -= x + 1.0f;", "y = n > m ? y - (x + 1.0f) : y;"),
        ("if (n) n += m;", "n = n ? n + m : n;"),
        (
            "if (x > y) out[n] = sqrtf(x); else out[n] = y;",
            "out[n] = x > y ? sqrtf(x) : y;",
        ),
        ("if (n ? m : n) y = x; else y = x + 1.0f;", "y = (n ? m : n) ? x : x + 1.0f;"),
    ],
)
def test_a_choice_is_written(bench: Bench, line: str, written: str) -> None:
    body = bench.body(BranchToSelect(), KERNEL.format(line=line))
    comment = "  // A choice instead of a branch: lanes do not wait for each other."
    assert f"{comment}\n  {written}\n" in body


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("if (n > m) y = in[n];", "a value is read from memory"),
        ("if (n > m) y = x; else x = y;", "the two sides set different things"),
        ("if (n > m) out[n] = x;", "memory that is set on one side only"),
        ("if (n > m) out[n] += x; else out[n] += y;", "memory that is set on one side only"),
        ("if (n > m) y = x; else y += x;", "the two sides do not both set a value"),
        ("if (n > m) y = n;", "the values are converted"),
        ("if (n > m) n = m / n;", "a value is more than cheap arithmetic"),
        ("if (n > m) y = atomicAdd(out, x);", "a value is more than cheap arithmetic"),
        ("if (n++ > m) y = x;", "the condition does more than to compare"),
    ],
)
def test_it_says_why_not(bench: Bench, line: str, why: str) -> None:
    changes, refusals = bench.look(BranchToSelect(), KERNEL.format(line=line))
    assert changes == []
    assert [place for place, _ in said(refusals)] == [3]
    assert why in refusals[0].why


@pytest.mark.parametrize("line", ["if (n > m) return;", "if (n) { x = y; y = 1.0f; }"])
def test_other_branches_are_no_place_to_act(bench: Bench, line: str) -> None:
    assert bench.look(BranchToSelect(), KERNEL.format(line=line)) == ([], [])
