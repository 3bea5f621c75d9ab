"""Kernels in higher precision: what is rewritten, and what is said where it cannot be."""

from __future__ import annotations

import pytest

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.optimize.reference import NotWidened, widened
from rocm_perf_lab.optimize.source import Parser, compile_command
from rocm_perf_lab.optimize.source.model import TranslationUnit

SOURCE = """
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#define SCALED(x) ((x) * 2.0f)
__device__ float helper(float x) { return x * x; }

__global__ void plain(float* out, const float* in, int n) {
  const float* row = in + blockIdx.x;
  float top = -INFINITY, sum = 0; for (int i = 0; i < n; ++i) {
    top = fmaxf(top, row[i]);
    sum += expf(row[i]) * (float)i + static_cast<float>(n) + SCALED(row[i]);
  }
  __shared__ float tile[2][65];
  tile[0][threadIdx.x] = sum;
  __syncthreads();
  atomicAdd(&tile[1][0], sum);
  out[0] = __shfl_down(sum, 1) + tile[1][threadIdx.x] + 0.1f;
}
__global__ void loads(float4* out, const float4* in) {
  const float4 v = in[threadIdx.x];
  float sum = v.x + v.y;
  out[threadIdx.x] = make_float4(sum, sum, sum, sum);
}
template <typename T> __global__ void generic(T* out) { T s = 0; out[0] = s + s; }
__global__ void calls(float* out, float x) { out[0] = helper(x) + 1.0f; }
__global__ void bits(float* out, float x) { out[0] = __int_as_float(__float_as_int(x)) * 2.0f; }
__global__ void vectors(float4* out, const float4* in) {
  float4 sum = in[0];
  for (int i = 1; i < 4; ++i) sum.x += in[i].x;
  out[0] = sum;
}
__global__ void whole(float4* out, const float4* in) { out[0] = in[0] * in[1]; }
__global__ void halves(float* out, const __half* in) {
  __half sum = in[0];
  sum = __float2half(__half2float(sum) + 1.0f);
  out[0] = __half2float(sum);
}
__global__ void dynamic(float* out) {
  extern __shared__ float all[];
  out[0] = all[threadIdx.x] + 1.0f;
}
__global__ void pointer(float* out) {
  float own[4] = {};
  float* p = own;
  out[0] = p[1] + 1.0f;
}
__global__ void address(float* out, float x) {
  float own = x + 1.0f;
  out[0] = *reinterpret_cast<int*>(&own);
}
__global__ void assembly(float* out, float x) {
  float y = x + 1.0f;
  asm volatile("v_mov_b32 %0, %1" : "=v"(y) : "v"(x));
  out[0] = y;
}
__global__ void parameter(float* out, float x) { x += 1.0f; out[0] = x; }
__global__ void integers(int* out, const float* in) { out[0] = in[0] > 1.0f; }
__global__ void mixed(float* out, const float* in) {
  float s = 0, *p = out;
  p[0] = s + in[0];
}
"""

REASONS = {
    "generic": "is a template: which types it computes in is not in its text",
    "calls": "calls helper, which computes in float",
    "bits": "calls __float_as_int, which computes in float",
    "vectors": "computes in sum, a variable of type HIP_vector_type<float, 4>",
    "whole": "computes in HIP_vector_type<float, 4> as a whole",
    "halves": "computes in sum, a variable of type __half",
    "dynamic": "has all, an array of float whose size the launch gives",
    "pointer": "uses own as a pointer",
    "address": "takes the address of own",
    "assembly": "has inline assembly",
    "parameter": "changes its parameter x",
    "integers": "computes nothing in float",
    "mixed": "declares s together with a pointer",
}


@pytest.fixture(scope="module")
def unit(rocm: Prefix, tmp_path_factory: pytest.TempPathFactory) -> TranslationUnit:
    source = tmp_path_factory.mktemp("reference") / "kernels.hip"
    source.write_text(SOURCE)
    with Parser(compile_command(rocm, source), source) as parser:
        parsed = parser.parse()
    assert not parsed.errors
    return parsed


def text_of(unit: TranslationUnit, name: str) -> str:
    (kernel,) = unit.kernels_named(name)
    text = widened(unit, kernel).decode()
    begin = text.index(f"void {name}(")
    return text[begin : text.index("\n}", begin)]


def test_locals_lds_casts_and_functions_are_double(unit: TranslationUnit) -> None:
    text = text_of(unit, "plain")
    assert text.startswith(
        "void plain(float* out, const float* in, int n) {\n#pragma clang fp eval"
    )
    for line in (
        "const float* row = in",  # a buffer keeps its type
        "double top = -INFINITY, sum = 0; for",
        "top = fmax(top, row[i]);",
        "sum += exp(row[i]) * (double)i + static_cast<double>(n) + SCALED(row[i]);",
        "__shared__ double tile[2][65];",
        "__shfl_down(sum, 1) + tile[1][threadIdx.x] + 0.1f;",  # the same constant
    ):
        assert line in text


def test_vectors_that_are_only_loaded_stay(unit: TranslationUnit) -> None:
    text = text_of(unit, "loads")
    assert "const float4 v = in" in text
    assert "double sum = v.x + v.y;" in text


@pytest.mark.parametrize("name", REASONS)
def test_what_would_stay_in_float_is_said(unit: TranslationUnit, name: str) -> None:
    (kernel,) = unit.kernels_named(name)
    with pytest.raises(NotWidened) as why:
        widened(unit, kernel)
    assert str(why.value) == REASONS[name]
