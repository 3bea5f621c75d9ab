"""Matrix products that clang compiled to MFMA, run through the whole interpreter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from exec_support import Buffer, build, needs_harness

pytestmark = [pytest.mark.native, needs_harness]

# One wave per tile of C. Every lane loads its part of A and B as the register layout asks.
KERNELS = r"""
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef half half4v __attribute__((ext_vector_type(4)));
typedef float float16v __attribute__((ext_vector_type(16)));
typedef double double4v __attribute__((ext_vector_type(4)));
typedef int int4v __attribute__((ext_vector_type(4)));

#define LANE ((int)__builtin_amdgcn_workitem_id_x())

__kernel void half_32(__global const half* a, __global const half* b, __global float* c, long n) {
  int row = __builtin_amdgcn_workgroup_id_x() * 32, column = __builtin_amdgcn_workgroup_id_y() * 32;
  int i = LANE % 32, group = LANE / 32;
  float16v sum = 0;
  for (int k = 0; k < n; k += 8) {
    half4v x, y;
    for (int e = 0; e < 4; ++e) {
      x[e] = a[(row + i) * n + k + 4 * group + e];
      y[e] = b[(k + 4 * group + e) * n + column + i];
    }
    sum = __builtin_amdgcn_mfma_f32_32x32x8f16(x, y, sum, 0, 0, 0);
  }
  for (int r = 0; r < 16; ++r)
    c[(row + 8 * (r / 4) + 4 * group + r % 4) * n + column + i] = sum[r];
}

__kernel void double_16(__global const double* a, __global const double* b, __global double* c,
                        long n) {
  int row = __builtin_amdgcn_workgroup_id_x() * 16, column = __builtin_amdgcn_workgroup_id_y() * 16;
  int i = LANE % 16, group = LANE / 16;
  double4v sum = 0;
  for (int k = 0; k < n; k += 4)
    sum = __builtin_amdgcn_mfma_f64_16x16x4f64(a[(row + i) * n + k + group],
                                               b[(k + group) * n + column + i], sum, 0, 0, 0);
  for (int r = 0; r < 4; ++r) c[(row + 4 * r + group) * n + column + i] = sum[r];
}

__kernel void byte_16(__global const char* a, __global const char* b, __global int* c, long n) {
  int row = __builtin_amdgcn_workgroup_id_x() * 16, column = __builtin_amdgcn_workgroup_id_y() * 16;
  int i = LANE % 16, group = LANE / 16;
  int4v sum = 0;
  for (int k = 0; k < n; k += 32) {
    ulong x = 0, y = 0;
    for (int e = 0; e < 8; ++e) {
      x |= (ulong)(uchar)a[(row + i) * n + k + 8 * group + e] << (8 * e);
      y |= (ulong)(uchar)b[(k + 8 * group + e) * n + column + i] << (8 * e);
    }
    sum = __builtin_amdgcn_mfma_i32_16x16x32_i8(x, y, sum, 0, 0, 0);
  }
  for (int r = 0; r < 4; ++r) c[(row + 4 * group + r) * n + column + i] = sum[r];
}
"""

SIZE = 64


@pytest.mark.parametrize(
    ("kernel", "tile", "source", "result"),
    [
        ("half_32", 32, np.float16, np.float32),
        ("double_16", 16, np.float64, np.float64),
        ("byte_16", 16, np.int8, np.int32),
    ],
)
def test_product(kernel: str, tile: int, source: type, result: type, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    a, b = (rng.integers(-8, 9, (SIZE, SIZE)).astype(source) for _ in range(2))
    buffers = [Buffer(a), Buffer(b), Buffer(np.zeros((SIZE, SIZE), result))]
    code = build(KERNELS, tmp_path)
    tiles = SIZE // tile
    code.run(kernel, (64 * tiles, tiles), (64, 1), [*buffers, SIZE])
    expected = a.astype(result) @ b.astype(result)  # integers: every sum is exact
    np.testing.assert_array_equal(buffers[2].array, expected)
    for buffer in buffers:
        buffer.free()
