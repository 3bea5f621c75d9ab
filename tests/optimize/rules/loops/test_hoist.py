"""Values that stay the same: the text and the refusals."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.loops.hoist import Hoist

pytestmark = pytest.mark.native


def kernel(
    body: str, parameters: str = "const float* in, const float* s, float* out, int n"
) -> str:
    return f"__global__ void k({parameters}) {{\n{body}\n}}\n"


def test_a_store_that_may_meet_it_is_asked_about(bench: Bench) -> None:
    body = """  const int row = blockIdx.x;
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    out[row * n + j] = in[row * n + j] * expf(s[row]);  // scaled
  }"""
    assert (
        bench.body(Hoist(), kernel(body))
        == """{
  const int row = blockIdx.x;
  // expf(s[row]) is the same in every iteration, unless the loop writes there.
  int j = threadIdx.x;
  const size_t first_written = (size_t)&out[row * n + j];
  const size_t bytes_written = ((size_t)n - j) * sizeof(float);
  if (j < n &&
      (long long)n + blockDim.x <= 0x7fffffff &&
      (size_t)&s[row] - first_written >= bytes_written) {
    const float expf_value = expf(s[row]);
    for (; j < n; j += blockDim.x) {
      out[row * n + j] = in[row * n + j] * expf_value;  // scaled
    }
  }
  for (; j < n; j += blockDim.x) {
    out[row * n + j] = in[row * n + j] * expf(s[row]);  // scaled
  }
}"""
    )


def test_what_is_hoisted_is_done(bench: Bench) -> None:
    text = kernel("  for (int j = 0; j < n; ++j) out[j] = in[j] * expf(s[0]);")
    once = bench.body(Hoist(), text)
    assert bench.look(Hoist(), kernel(once[2:-1])) == ([], [])


def test_without_such_a_store_nothing_is_asked(bench: Bench) -> None:
    body = """  float sum = 0.0f;
  for (int j = 0; j < n; ++j) sum += in[j] / sqrtf(s[0]) + sqrtf(s[0]);
  out[0] = sum;"""
    assert (
        bench.body(Hoist(), kernel(body))
        == """{
  float sum = 0.0f;
  // sqrtf(s[0]) is the same in every iteration.
  int j = 0;
  if (j < n) {
    const float sqrtf_value = sqrtf(s[0]);
    for (; j < n; ++j) sum += in[j] / sqrtf_value + sqrtf_value;
  }
  out[0] = sum;
}"""
    )


def test_an_index_that_may_fall_is_asked_on_both_sides(bench: Bench) -> None:
    body = "  for (int j = 0; j < n; ++j) out[threadIdx.x - j * n] = s[0];"
    text = bench.body(Hoist(), kernel(body))
    assert "last_written = &out[threadIdx.x - (n - 1) * n];" in text
    assert (
        "((&s[0] < first_written && &s[0] < last_written) ||\n"
        "       (&s[0] > first_written && &s[0] > last_written))"
    ) in text


def test_what_the_compiler_hoists_itself_is_left_to_it(bench: Bench) -> None:
    restrict = "const float* in, const float* __restrict__ s, float* out, int n"
    for body in ("out[j] = in[j] * s[0];", "out[j] = in[j] * (n * 3);"):
        loop = f"  for (int j = 0; j < n; ++j) {body}"
        assert bench.look(Hoist(), kernel(loop, restrict)) == ([], [])


@pytest.mark.parametrize(
    "body",
    [
        "if (in[j] > 0) out[j] = expf(s[0]);",  # perhaps it is never read
        "out[j] = in[j] > 0 ? expf(s[0]) : 1.0f;",
        "if (j > 3 && s[0] > 0) out[j] = 1.0f;",
        "out[j] = expf(s[j]);",
        "s++; out[j] = expf(s[0]);",
        "for (int k = 0; k < j; ++k) out[j] += in[j + k];",
    ],
)
def test_what_changes_or_is_not_always_needed_stays(bench: Bench, body: str) -> None:
    assert bench.look(Hoist(), kernel(f"  for (int j = 0; j < n; ++j) {{ {body} }}")) == ([], [])


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("__syncthreads(); out[j] = expf(s[0]);", "__syncthreads is a barrier"),
        ("atomicAdd(out, expf(s[0]));", "atomicAdd is an atomic operation"),
        ("if (in[j] > 0) break; out[j] = expf(s[0]);", "break or continue may leave"),
        ("out[j * j] = s[0];", "the store to out may change what is read from s"),
        ("out[int(in[j])] = s[0];", "the store to out may change what is read from s"),
        ("out[j] = s[0]; out++;", "the store to out may change what is read from s"),
        ("int k = j + 1; out[k] = s[0];", "the store to out may change what is read from s"),
    ],
)
def test_refusals_say_why(bench: Bench, body: str, why: str) -> None:
    changes, refusals = bench.look(Hoist(), kernel(f"  for (int j = 0; j < n; ++j) {{ {body} }}"))
    assert changes == []
    assert why in said(refusals)[0][1]
    assert said(refusals)[0][0] == 2
