// Two batched products of bfloat16 matrices (m 128, n 512, k 128, batch 128) with the geometry of two
// recorded MI300X kernels: tiles of 64x64x8, one buffer; tiles of 128x128x16, two buffers. Both issue
// the same number of matrix instructions. A is [m][k], B is [k][n], C is [m][n].
#include "measure.h"

using Bf16 = unsigned short;
using Short4 = __attribute__((ext_vector_type(4))) short;
using Short8 = __attribute__((ext_vector_type(8))) short;
using Sums = __attribute__((ext_vector_type(16))) float;

constexpr int kM = 128, kN = 512, kK = 128, kBatch = 128;
constexpr int kMatrix = 32;  // rows and columns of v_mfma_f32_32x32x8_bf16; its depth is 8
constexpr int kThreads = 256;

__device__ Sums multiply(Short4 a, Short4 b, Sums c) {
  return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, c, 0, 0, 0);
}

// Lane's share of a 32x32 result: column lane % 32, four rows of each eight.
__device__ void store(Bf16* c, const Sums& sums) {
  const int lane = threadIdx.x % 64;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const int row = 8 * (i / 4) + 4 * (lane / kMatrix) + i % 4;
    c[row * kN + lane % kMatrix] = Bf16(__float_as_uint(sums[i]) >> 16);
  }
}

// A wave computes 32x32 of the 64x64 tile.
__global__ __launch_bounds__(kThreads) void gemm_64x64x8(const Bf16* a, const Bf16* b, Bf16* c) {
  __shared__ Bf16 tile_a[64][8], tile_b[64][8];  // B transposed: [column][k]
  const int wave = threadIdx.x / 64, lane = threadIdx.x % 64;
  a += size_t(blockIdx.z) * kM * kK + blockIdx.y * 64 * kK;
  b += size_t(blockIdx.z) * kK * kN + blockIdx.x * 64;
  c += size_t(blockIdx.z) * kM * kN + blockIdx.y * 64 * kN + blockIdx.x * 64;
  const int row = wave / 2 * kMatrix, column = wave % 2 * kMatrix;
  Sums sums = {};
  // Half of the threads would do: the recorded kernel loads and stores every part twice, too.
  const int loader = wave % 2, left = loader * kMatrix + lane % kMatrix, half = lane / kMatrix * 4;
  for (int k = 0; k < kK; k += 8) {
    *reinterpret_cast<Short4*>(&tile_a[left][half]) =
        *reinterpret_cast<const Short4*>(a + left * kK + k + half);
    Short4 right;
#pragma unroll
    for (int i = 0; i < 4; ++i) right[i] = short(b[(k + loader * 4 + i) * kN + lane]);
    *reinterpret_cast<Short4*>(&tile_b[lane][loader * 4]) = right;
    __syncthreads();
    const int deep = lane / kMatrix * 4;
    sums = multiply(*reinterpret_cast<Short4*>(&tile_a[row + lane % kMatrix][deep]),
                    *reinterpret_cast<Short4*>(&tile_b[column + lane % kMatrix][deep]), sums);
    __syncthreads();
  }
  store(c + row * kN + column, sums);
}

struct Tiles {
  Bf16 a[128][16], b[128][16];
};

// Which part of a tile of A a thread brings: a wave those of 32 rows.
__device__ int left_row() { return threadIdx.x / 64 * kMatrix + threadIdx.x % kMatrix; }
__device__ int left_half() { return threadIdx.x % 64 / kMatrix; }

// What a thread brings from memory into one pair of tiles.
struct Brought {
  Short8 a, b;
};
__device__ Brought bring(const Bf16* a, const Bf16* b, int k) {
  const int thread = threadIdx.x;
  Brought brought;
  brought.a = *reinterpret_cast<const Short8*>(a + left_row() * kK + k + left_half() * 8);
#pragma unroll
  for (int i = 0; i < 8; ++i) brought.b[i] = short(b[(k + thread / 128 * 8 + i) * kN + thread % 128]);
  return brought;
}
__device__ void place(Tiles& tiles, const Brought& brought) {
  const int thread = threadIdx.x;
  *reinterpret_cast<Short8*>(&tiles.a[left_row()][left_half() * 8]) = brought.a;
  *reinterpret_cast<Short8*>(&tiles.b[thread % 128][thread / 128 * 8]) = brought.b;
}

// A wave computes 64x64 of the 128x128 tile.
__global__ __launch_bounds__(kThreads) void gemm_128x128x16(const Bf16* a, const Bf16* b, Bf16* c) {
  __shared__ Tiles tiles[2];
  const int wave = threadIdx.x / 64, lane = threadIdx.x % 64;
  a += size_t(blockIdx.z) * kM * kK + blockIdx.y * 128 * kK;
  b += size_t(blockIdx.z) * kK * kN + blockIdx.x * 128;
  c += size_t(blockIdx.z) * kM * kN + blockIdx.y * 128 * kN + blockIdx.x * 128;
  const int row = wave / 2 * 64, column = wave % 2 * 64;
  Sums sums[2][2] = {};
  place(tiles[0], bring(a, b, 0));
  __syncthreads();
  for (int k = 0; k < kK; k += 16) {
    const Tiles& now = tiles[k / 16 % 2];
    const bool more = k + 16 < kK;
    Brought brought;
    if (more) brought = bring(a, b, k + 16);
#pragma unroll
    for (int step = 0; step < 16; step += 8) {
      const int deep = step + lane / kMatrix * 4, at = lane % kMatrix;
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
          sums[i][j] = multiply(
              *reinterpret_cast<const Short4*>(&now.a[row + i * kMatrix + at][deep]),
              *reinterpret_cast<const Short4*>(&now.b[column + j * kMatrix + at][deep]), sums[i][j]);
    }
    if (more) place(tiles[(k / 16 + 1) % 2], brought);
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) store(c + (row + i * kMatrix) * kN + column + j * kMatrix, sums[i][j]);
}

// Zeros and ones: every sum is a whole number that bfloat16 holds.
Bf16 entry(size_t i) { return i * 2654435761u >> 7 & 1 ? 0x3f80 : 0; }

void check(const Bf16* c) {
  const std::vector<Bf16> result = host_copy(c, size_t(kBatch) * kM * kN);
  for (size_t at = 0; at < result.size(); at += 9973) {
    const size_t batch = at / (kM * kN), row = at / kN % kM, column = at % kN;
    float sum = 0;
    for (size_t k = 0; k < kK; ++k)
      sum += entry((batch * kM + row) * kK + k) && entry((batch * kK + k) * kN + column) ? 1.0f : 0.0f;
    unsigned bits;
    __builtin_memcpy(&bits, &sum, sizeof bits);
    require(result[at] == Bf16(bits >> 16), "the product is right");
  }
}

int main() {
  std::vector<Bf16> left(size_t(kBatch) * kM * kK), right(size_t(kBatch) * kK * kN);
  for (size_t i = 0; i < left.size(); ++i) left[i] = entry(i);
  for (size_t i = 0; i < right.size(); ++i) right[i] = entry(i);
  Bf16 *a = device_copy(left), *b = device_copy(right);
  Bf16* c = device_array<Bf16>(size_t(kBatch) * kM * kN);
  const double flop = 2.0 * kBatch * kM * kN * kK;
  for (int repeat = 0; repeat < 3; ++repeat) {
    gemm_64x64x8<<<dim3(kN / 64, kM / 64, kBatch), kThreads>>>(a, b, c);
    launched("gemm_64x64x8", flop);
    check(c);
    CHECK(hipMemset(c, 0, size_t(kBatch) * kM * kN * sizeof(Bf16)));
    gemm_128x128x16<<<dim3(kN / 128, kM / 128, kBatch), kThreads>>>(a, b, c);
    launched("gemm_128x128x16", flop);
    check(c);
  }
}
