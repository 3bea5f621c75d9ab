"""Rules that share the work of a block anew: the same results, in blocks of any shape."""

from __future__ import annotations

from pathlib import Path

import pytest
from rule_support import Bench
from same_launches import IN_PLACE, LINE, PARAMETERS, PLANES, SHIFTED, Case, compare_results

from rocm_perf_lab.optimize.rules.access.interleaved_chunks import InterleavedChunks
from rocm_perf_lab.optimize.rules.access.lds_padding import LdsPadding
from rocm_perf_lab.optimize.rules.access.staged_rows import StagedRows
from rocm_perf_lab.optimize.rules.access.swapped_threads import SwappedThreads
from rocm_perf_lab.optimize.rules.access.tiled_product import TiledProduct
from rocm_perf_lab.optimize.rules.branch_to_select import BranchToSelect
from rocm_perf_lab.optimize.rules.loops.double_buffer import DoubleBuffer
from rocm_perf_lab.optimize.rules.rule import Launch
from rocm_perf_lab.optimize.rules.sums.private_histogram import PrivateHistogram
from rocm_perf_lab.optimize.rules.sums.register_accumulation import RegisterAccumulation
from rocm_perf_lab.optimize.rules.sums.wave_atomics import WaveAtomics
from rocm_perf_lab.optimize.rules.sums.wave_reduction import WaveReduction

pytestmark = pytest.mark.native

TRANSPOSE = """{
  __shared__ float tile[16][16], other[64][8 * 4];
  const int x = threadIdx.x % 16, y = threadIdx.y % 16;
  tile[y][x] = a[y * 16 + x];
  other[threadIdx.x % 64][y] = b[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 16 && threadIdx.y == 0)
    for (int i = 0; i < 16; ++i) out[i * 16 + threadIdx.x] = tile[threadIdx.x][i] + other[i][0];
}"""
CHUNKS = """{
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * m;
  for (int i = 0; i < m; ++i) {
    const int at = begin + i;
    if (at < n) out[at] = a[at] + 0.5f;
  }
}"""
CHUNKS_IN_LINE = """{
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < m; ++i)
    if (thread * m + i < n) out[thread * m + i] += b[thread * m + i];
}"""
PRODUCT = """{
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= 40 || col >= m) return;
  float sum = 0.0f;
  for (int k = 0; k < m; ++k) sum += a[row * m + k] * b[k * m + col];
  out[row * m + col] = sum;
}"""
DIFFERENCE = """{
  const int x = 3 * threadIdx.x - threadIdx.y;
  out[(blockIdx.x * gridDim.y + blockIdx.y) * 1024 + threadIdx.x * blockDim.y + threadIdx.y] = x;
}"""
HISTOGRAM = """{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[bytes[i]], 1u);
}"""
WEIGHTED = """{
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const unsigned int value = __float_as_uint(a[i]);
    if (value % 3 != 0) atomicAdd(&counts[value % 100], value);
  }
}"""
ROW_SUMS = """{
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0.0f;
  for (int c = 0; c < m; ++c) sum += a[row * m + c];
  out[row] = sum;
}"""
TWO_PASSES = """{
  int row = threadIdx.x + blockIdx.x * blockDim.x;
  if (row >= n) {
    return;
  }
  float largest = -100.0f;
  for (int c = 1; c < m; ++c) {
    largest = fmaxf(largest, a[row * m + c]);
  }
  float sum = 0.0f;
  for (int c = 0; c < m; ++c) sum += expf(a[row * m + c] - largest) * a[row * m + c];
  for (int c = 0; c < m; ++c) out[row * m + c] = a[row * m + c] / sum;
}"""
NO_EXIT = """{
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int c = 0; c < 20; ++c) sum = sum * 0.5f + a[m + row * 20 + c];
  out[row] = sum;
}"""
BLOCK_SUM = """{
  __shared__ float tile[1024];
  const unsigned int t = threadIdx.x;
  tile[t] = a[blockIdx.x * m + t];
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) tile[t] += tile[t + s];
    __syncthreads();
  }
  const float sum = tile[0];
  out[blockIdx.x * 1024 + t] = sum;
  __syncthreads();
  tile[t] = sum * b[t];
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s >= 1; s /= 2) {
    if (t < s) tile[t] = fmaxf(tile[t + s], tile[t] * 0.5f);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x * 1024] = tile[0];
}"""
WIDTHS = tuple(((2, 1), (width, 1)) for width in (1, 2, 31, 33, 64, 65, 96, 100, 256, 1000))
COLLECTED = """{
  __shared__ float tile[256];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = threadIdx.x; i < n - 5; i += 64) out[t] += a[i] * 0.1f;
  tile[threadIdx.x] = 1.0f;
  for (int i = 0; i < m; ++i) tile[threadIdx.x] *= b[i + t] * 0.01f;
  out[t + 5000] = tile[threadIdx.x];
  for (int i = 3; i < m; ++i) if (i % 2) atomicAdd(&counts[t % 7], 3u * i);
}"""
CHOICES = """{
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[t], y = b[t];
  if (x < y) x = y * 0.5f; else x = x - y;
  if (t % 3 == 1) y += x * 3.0f;
  int k = t;
  if (t > m) k = n - t;
  if (k > 5) out[t] = x; else out[t] = y;
  counts[t % 64] = 5;
  out[t + 5000] = k;
}"""
ROWS_BY_COLUMNS = """{
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= m) return;
  double sum = 0.0;
  for (int k = 1; k < n; ++k) {
    const float left = a[row * 200 + k];
    sum = sum * 0.5 + left * b[k * m + col] - left;
  }
  out[row * m + col] = sum;
}"""
TILES = """{
  __shared__ float tile_a[16][16], tile_b[16][17];
  const int x = threadIdx.x % 16, y = threadIdx.y % 16;
  float sum = 0.0f;
  for (int first = 0; first < m; first += 16) {
    tile_a[y][x] = first + x < m ? a[y * m + first + x] : 0.0f;
    tile_b[y][x] = b[(first + y) * 20 + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + y * 16 + x] = sum;
}"""
ONE_TOTAL = """{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&counts[blockIdx.x], bytes[i]);
  for (int k = i % 5; k < m; ++k) atomicAdd(counts + 40, 3u * k + 1);
  if (i >= n) return;
  if (bytes[i] % 4 != 1) atomicAdd(&counts[50 + gridDim.y], 7u);
}"""
SQUARE = (((1, 1), (16, 16)), ((3, 2), (16, 16)), ((2, 1), (8, 8)), ((1, 2), (33, 3)))
OUT_ALONE = PARAMETERS.replace("float* out", "float* __restrict__ out")
OF_64 = Launch((1, 1, 1), (64, 1, 1))
CASES = (
    Case(LdsPadding(), TRANSPOSE, launches=(((1, 1), (16, 16)), ((1, 1), (64, 4)))),
    Case(InterleavedChunks(), CHUNKS),
    Case(InterleavedChunks(), CHUNKS, LINE, IN_PLACE, sizes=((513, 5),)),
    # One thread works, so the order in which it does has a result when arrays overlap.
    Case(InterleavedChunks(), CHUNKS, LINE, SHIFTED, sizes=((5, 9), (30, 30))),
    Case(InterleavedChunks(), CHUNKS_IN_LINE, LINE),
    Case(SwappedThreads(), PRODUCT, launches=PLANES),
    Case(SwappedThreads(), DIFFERENCE, launches=PLANES),
    Case(PrivateHistogram(), HISTOGRAM, sizes=((0, 0), (1, 0), (1000, 0), (5000, 0))),
    Case(PrivateHistogram(), WEIGHTED, sizes=((0, 0), (1, 0), (1000, 0))),
    Case(StagedRows(), ROW_SUMS),
    Case(StagedRows(), ROW_SUMS, launch=OF_64),
    Case(StagedRows(), TWO_PASSES),
    Case(StagedRows(), TWO_PASSES, LINE, IN_PLACE[:1]),
    Case(StagedRows(), NO_EXIT),
    Case(RegisterAccumulation(), COLLECTED, LINE, parameters=OUT_ALONE),
    Case(BranchToSelect(), CHOICES, LINE),
    Case(TiledProduct(), PRODUCT, SQUARE, sizes=((0, 0), (0, 1), (0, 16), (0, 17), (0, 45))),
    Case(TiledProduct(), ROWS_BY_COLUMNS, SQUARE, sizes=((0, 9), (1, 9), (16, 0), (50, 20))),
    Case(DoubleBuffer(), TILES, SQUARE[:2], sizes=((0, 0), (0, 1), (0, 16), (0, 40))),
    Case(WaveAtomics(), ONE_TOTAL, sizes=((0, 0), (100, 3), (193, 7))),
    Case(WaveReduction(), BLOCK_SUM, WIDTHS, sizes=((0, 0), (0, 1000))),
)


def test_every_change_computes_the_same(virtual_rocm: Path, bench: Bench, tmp_path: Path) -> None:
    said = compare_results(virtual_rocm / "bin" / "hipcc", tmp_path, bench, CASES)
    assert said.startswith("PASS: "), said
    assert int(said.split()[1]) >= 20 * len(CASES)
