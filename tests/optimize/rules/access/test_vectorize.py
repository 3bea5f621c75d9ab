"""Sixteen bytes at a time: the text and the refusals."""

from __future__ import annotations

import pytest
from rule_support import Bench, said

from rocm_perf_lab.optimize.rules.access.vectorize import Vectorize

pytestmark = pytest.mark.native

GRID = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"
GROUP = "for (int i = threadIdx.x; i < n; i += blockDim.x)"
PARAMETERS = "const float* in, float* out, const double* wide, int n, float scale"


def kernel(body: str, parameters: str = PARAMETERS) -> str:
    return f"__global__ void k({parameters}) {{\n{body}\n}}\n"


def test_a_copy_asks_for_overlap_and_alignment(bench: Bench) -> None:
    assert (
        bench.body(Vectorize(), kernel(f"  {GRID}\n    out[i] = in[i];"))
        == f"""{{
  // Four elements at a time where the pointers allow it, the rest one by one.
  const bool apart = in == out || in + n <= out || out + n <= in;
  const size_t address = reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out);
  const int vectors = apart && address % 16 == 0 ? n / 4 : 0;
  {GRID.replace("int i", "int v").replace("i < n; i +=", "v < vectors; v +=")} {{
    reinterpret_cast<float4*>(out)[v] = reinterpret_cast<const float4*>(in)[v];
  }}
  {GRID.replace("int i = ", "int i = 4 * vectors + ")}
    out[i] = in[i];
}}"""
    )


def test_rows_and_values(bench: Bench) -> None:
    body = f"  const int r = blockIdx.x;\n  {GROUP}\n    y[r * n + i] += x[r * n + i] * a + i;"
    text = kernel(body, "const float* __restrict__ x, float* y, int n, float a")
    assert (
        bench.body(Vectorize(), text)
        == """{
  const int r = blockIdx.x;
  // Four elements at a time where the pointers allow it, the rest one by one.
  const size_t address = reinterpret_cast<size_t>(y + r * n) | reinterpret_cast<size_t>(x + r * n);
  const int vectors = address % 16 == 0 ? n / 4 : 0;
  for (int v = threadIdx.x; v < vectors; v += blockDim.x) {
    float4 y4 = reinterpret_cast<float4*>(y + r * n)[v];
    const float4 x4 = reinterpret_cast<const float4*>(x + r * n)[v];
    y4.x += x4.x * a + (4 * v);
    y4.y += x4.y * a + (4 * v + 1);
    y4.z += x4.z * a + (4 * v + 2);
    y4.w += x4.w * a + (4 * v + 3);
    reinterpret_cast<float4*>(y + r * n)[v] = y4;
  }
  for (int i = 4 * vectors + threadIdx.x; i < n; i += blockDim.x)
    y[r * n + i] += x[r * n + i] * a + i;
}"""
    )


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (f"{GRID} out[i] = in[i + 1];", "not all to the same index"),
        (f"{GRID} out[i] = in[2 * i];", "an index in it is not a fixed place plus i"),
        (f"{GRID} out[i] = threadIdx.x;", "a value in it differs from thread to thread"),
        (f"{GROUP} out[threadIdx.x + i] = in[threadIdx.x + i];", "differs from thread to thread"),
        (f"{GRID} {{ __syncthreads(); out[i] = in[i]; }}", "__syncthreads is a barrier"),
        (f"{GRID} {{ float x = in[i]; out[i] = x; }}", "more than assignments to elements"),
        (f"{GRID} out[i] = wide[i];", "there are no vectors of 16 bytes of double, float"),
        (f"{GRID} out[i] = in[i]; out[0] = in[1];", "out is accessed outside of the loop as well"),
        (f"__shared__ float t[64]; {GROUP} t[i] = in[i];", "t is not a pointer that the kernel is"),
    ],
)
def test_refusals_say_why(bench: Bench, body: str, why: str) -> None:
    changes, refusals = bench.look(Vectorize(), kernel("  " + body))
    assert changes == []
    ((line, text),) = said(refusals)
    assert line == 2
    assert why in text


@pytest.mark.parametrize(
    "body",
    [
        f"if (threadIdx.x > 3) return; {GROUP} out[i] = in[i];",  # not all threads are there
        f"if (n > 3) {GROUP} out[i] = in[i];",
        "for (int i = threadIdx.x; i < n; i += 64) out[i] = in[i];",  # not the number of threads
        "for (int i = 0; i < n; i += blockDim.x) out[i] = in[i];",
    ],
)
def test_loops_that_threads_do_not_share_are_no_place_for_it(bench: Bench, body: str) -> None:
    assert bench.look(Vectorize(), kernel("  " + body)) == ([], [])
