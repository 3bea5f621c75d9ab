// Transposition of a matrix of floats: direct, through LDS tiles with bank conflicts, and with a
// padded tile. Names are pair:version.
#include "measure.h"

constexpr int kSize = 2048;
constexpr int kTile = 32;
constexpr int kRows = 8;  // a workgroup is 32x8

__global__ void transpose_direct(const float* a, float* c) {
  const int x = blockIdx.x * kTile + threadIdx.x;
  for (int y = blockIdx.y * kTile + threadIdx.y; y < int(blockIdx.y + 1) * kTile; y += kRows)
    c[x * kSize + y] = a[y * kSize + x];
}

template <int padding>
__global__ void transpose_tiled(const float* a, float* c) {
  __shared__ float tile[kTile][kTile + padding];
  for (int row = threadIdx.y; row < kTile; row += kRows)
    tile[row][threadIdx.x] = a[(blockIdx.y * kTile + row) * kSize + blockIdx.x * kTile + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < kTile; row += kRows)
    c[(blockIdx.x * kTile + row) * kSize + blockIdx.y * kTile + threadIdx.x] = tile[threadIdx.x][row];
}

// The tile alone, over and over: what the padding saves when memory is not the limit.
template <int padding>
__global__ void turn_tile(float* c, int passes) {
  __shared__ float tile[kTile][kTile + padding];
  float value = float(threadIdx.x);
  for (int pass = 0; pass < passes; ++pass) {
    for (int row = threadIdx.y; row < kTile; row += kRows) tile[row][threadIdx.x] = value;
    __syncthreads();
    for (int row = threadIdx.y; row < kTile; row += kRows) value += tile[threadIdx.x][row];
    __syncthreads();
  }
  c[(blockIdx.x * kRows + threadIdx.y) * kTile + threadIdx.x] = value;
}

int main() {
  const size_t count = size_t(kSize) * kSize;
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = float(i);
  float* a = device_copy(values);
  float* c = device_array<float>(count);
  const dim3 groups(kSize / kTile, kSize / kTile), threads(kTile, kRows);
  const auto finish = [&](const char* name) {
    launched(name, 2.0 * count * sizeof(float));
    const std::vector<float> result = host_copy(c, count);
    for (size_t y = 0; y < kSize; y += 37)
      for (size_t x = 0; x < kSize; ++x) require(result[x * kSize + y] == values[y * kSize + x], name);
    CHECK(hipMemset(c, 0, count * sizeof(float)));
  };
  transpose_direct<<<groups, threads>>>(a, c);
  finish("transpose:direct");
  transpose_tiled<1><<<groups, threads>>>(a, c);
  finish("transpose:padded_tile");
  const int turns = 304 * 8;
  turn_tile<0><<<turns, threads>>>(c, 16);
  launched("padding:conflicts", turns * 16.0);
  turn_tile<1><<<turns, threads>>>(c, 16);
  launched("padding:padded", turns * 16.0);
}
