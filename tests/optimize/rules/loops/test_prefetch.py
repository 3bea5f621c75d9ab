"""Reading first what a round needs: the text and the refusals."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.loops.prefetch import Prefetch

pytestmark = pytest.mark.native


def kernel(body: str, parameters: str = "const float* in, float* out, int n, int m") -> str:
    return f"__global__ void k({parameters}) {{\n{body}\n}}\n"


def test_reads_come_before_the_first_store(bench: Bench) -> None:
    body = """  for (int i = threadIdx.x; i < n; i += m) {
    out[i] = in[i] * in[i] + in[i + m];  // smooth
  }"""
    assert (
        bench.body(Prefetch(), kernel(body), "4 iterations")
        == """{
  // Four iterations at a time, all that they need is read first.
  int i = threadIdx.x;
  const float* const first_read = &in[i];
  const float* const last_read = &in[(n - 1)];
  const float* const first_written = &out[i];
  const float* const last_written = &out[(n - 1)];
  const float* const first_read_2 = &in[i + m];
  const float* const last_read_2 = &in[(n - 1) + m];
  const bool apart = (last_read < first_written || first_read > last_written) &&
                     (last_read_2 < first_written || first_read_2 > last_written);
  for (; apart && i + 3LL * m < n; i += 4 * m) {
    const int i1 = i + m, i2 = i + 2 * m, i3 = i + 3 * m;
    const float in0 = in[i], in1 = in[i1], in2 = in[i2], in3 = in[i3];
    const float in0_2 = in[i + m], in1_2 = in[i1 + m], in2_2 = in[i2 + m], in3_2 = in[i3 + m];
    out[i] = in0 * in0 + in0_2;  // smooth
    out[i1] = in1 * in1 + in1_2;
    out[i2] = in2 * in2 + in2_2;
    out[i3] = in3 * in3 + in3_2;
  }
  for (; i < n; i += m) {
    out[i] = in[i] * in[i] + in[i + m];  // smooth
  }
}"""
    )


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) m += in[i];",  # no store stands between the reads
        "for (int i = 0; i < n; i++) out[i] = m;",
        "for (int i = 0; i < n; i++) if (m > i) out[i] = in[i];",  # not always read
    ],
)
def test_where_plain_unrolling_does_the_same_nothing_is_said(bench: Bench, body: str) -> None:
    assert bench.look(Prefetch(), kernel("  " + body)) == ([], [])


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("out[i] = in[i]; __syncthreads();", "__syncthreads is a barrier"),
        ("out[i] = in[i]; atomicAdd(out, 1.0f);", "atomicAdd is an atomic operation"),
        ("int k = 2 * i; out[i] = in[k + i];", "its index is computed or read in the loop"),
        ("out[i] = in[i]; in++;", "its index is computed or read in the loop"),
        ("out[i * i] = in[i];", "the store to out may change what is read from in"),
        ("if (m) break; out[i] = in[i];", "break or continue leaves an iteration"),
    ],
)
def test_refusals_say_why(bench: Bench, body: str, why: str) -> None:
    changes, refusals = bench.look(
        Prefetch(), kernel(f"  for (int i = 0; i < n; i++) {{ {body} }}")
    )
    assert changes == []
    assert why in said(refusals)[0][1]
    assert said(refusals)[0][0] == 2
