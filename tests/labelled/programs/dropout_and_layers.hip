#include "data.h"

// a: 24 vectors of 64 numbers made orthogonal, a wave for each of 1216 sets.
constexpr int kSets = 1216, kVectors = 24;

__device__ float over_wave(float value) {
  for (int step = 32; step > 0; step /= 2) value += __shfl_xor(value, step);
  return value;
}

template <int kAtOnce>
__global__ __launch_bounds__(256) void orthogonal(const float* in, float* out) {
  __shared__ float kept[4][kVectors][64];
  const int lane = threadIdx.x % 64, wave = threadIdx.x / 64;
  const int from = (blockIdx.x * 4 + wave) * kVectors * 64 + lane;
  for (int k = 0; k < kVectors; ++k) kept[wave][k][lane] = 0;
#pragma unroll 1
  for (int k = 0; k < kVectors; ++k) {
    const float given = in[from + k * 64];
    float rest = given;
#pragma unroll 1
    for (int j = 0; j < k; j += kAtOnce) {
      float other[kAtOnce], share[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) other[i] = kept[wave][j + i][lane];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) share[i] = given * other[i];
      for (int step = 32; step > 0; step /= 2)
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) share[i] += __shfl_xor(share[i], step);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) rest -= share[i] * other[i];
    }
    rest *= rsqrtf(over_wave(rest * rest) + 1e-6f);
    kept[wave][k][lane] = rest;
    out[from + k * 64] = rest;
  }
}

double a(int variant) {
  float* in = mixed<float>(kSets * kVectors * 64, 64);
  float* out = filled<float>(kSets * kVectors * 64, 0);
  const auto kernel = variant ? orthogonal<4> : orthogonal<1>;
  kernel<<<kSets / 4, 256>>>(in, out);
  return total(out, kSets * kVectors * 64);
}

// b: every second activation of a network, by chance, is left out while it learns.
constexpr int kActivations = 1 << 23;

__device__ unsigned chance(unsigned i) { return hashed(i ^ 0x5bd1e995u); }

__global__ void prepare_chances(unsigned* chances) {
  chances[work_item()] = chance(work_item());
}

__device__ unsigned kept(unsigned two, unsigned low, unsigned high) {
  return (low >> 31 ? (two & 0xffff) * 2 & 0xffff : 0) | (high >> 31 ? (two >> 16) << 17 : 0);
}

__global__ void drop_read(const uint2* in, const uint4* chances, uint2* out) {
  const uint2 own = in[work_item()];
  const uint4 four = chances[work_item()];
  out[work_item()] = {kept(own.x, four.x, four.y), kept(own.y, four.z, four.w)};
}

__global__ void drop_drawn(const uint2* in, uint2* out) {
  const uint2 own = in[work_item()];
  const unsigned i = work_item() * 4;
  out[work_item()] = {kept(own.x, chance(i), chance(i + 1)),
                      kept(own.y, chance(i + 2), chance(i + 3))};
}

double b(int variant) {
  auto* in = reinterpret_cast<uint2*>(mixed<unsigned short>(kActivations, 1 << 15));
  auto* out = filled<unsigned short>(kActivations, 0);
  auto* chances = filled<unsigned>(variant ? 4 : kActivations, 0);
  auto* pairs = reinterpret_cast<uint2*>(out);
  if (variant) {
    drop_drawn<<<kActivations / 4 / 256, 256>>>(in, pairs);
  } else {
    prepare_chances<<<kActivations / 256, 256>>>(chances);
    drop_read<<<kActivations / 4 / 256, 256>>>(in, reinterpret_cast<uint4*>(chances), pairs);
  }
  return total(out, kActivations);
}

// c: how far 2432 descriptions of 128 bytes are from 1024 others.
constexpr int kOnes = 2432, kOthers = 1024, kTile = 64, kWords = 32, kRoom = kTile + 4;

__device__ void load_tile(const uint4* from, unsigned (*tile)[kRoom]) {
#pragma unroll
  for (int half = 0; half < kTile; half += 32) {
    const int row = half + threadIdx.x / 8, word = threadIdx.x % 8 * 4;
    const uint4 four = from[row * (kWords / 4) + threadIdx.x % 8];
    tile[word][row] = four.x;
    tile[word + 1][row] = four.y;
    tile[word + 2][row] = four.z;
    tile[word + 3][row] = four.w;
  }
}

__device__ void differ_one(unsigned (*left)[kRoom], unsigned (*right)[kRoom], unsigned* out) {
  const int y = threadIdx.x / 16, x = threadIdx.x % 16;
#pragma unroll 1
  for (int k = 0; k < 16; ++k) {
    const int row = y + k / 4 * 16, column = x + k % 4 * 16;
    unsigned sum = 0;
#pragma unroll 8
    for (int word = 0; word < kWords; ++word)
      sum = __builtin_amdgcn_sad_u8(left[word][row], right[word][column], sum);
    out[row * kOthers + column] = sum;
  }
}

__device__ void differ_four(unsigned (*left)[kRoom], unsigned (*right)[kRoom], unsigned* out) {
  const int y = threadIdx.x / 16 * 4, x = threadIdx.x % 16 * 4;
  unsigned sums[4][4] = {};
#pragma unroll 4
  for (int word = 0; word < kWords; ++word)
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        sums[i][j] = __builtin_amdgcn_sad_u8(left[word][y + i], right[word][x + j], sums[i][j]);
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) out[(y + i) * kOthers + x + j] = sums[i][j];
}

template <int kVariant>
__global__ __launch_bounds__(256) void differ(const uint4* ones, const uint4* others,
                                              unsigned* out) {
  __shared__ __attribute__((aligned(16))) unsigned left[kWords][kRoom], right[kWords][kRoom];
  load_tile(ones + blockIdx.y * kTile * (kWords / 4), left);
  load_tile(others + blockIdx.x * kTile * (kWords / 4), right);
  __syncthreads();
  out += blockIdx.y * kTile * kOthers + blockIdx.x * kTile;
  if (kVariant) differ_four(left, right, out);
  else differ_one(left, right, out);
}

double c(int variant) {
  auto* ones = reinterpret_cast<uint4*>(mixed<unsigned>(kOnes * kWords, 4294967291u));
  auto* others = reinterpret_cast<uint4*>(mixed<unsigned>(kOthers * kWords, 4294967291u));
  unsigned* out = filled<unsigned>(kOnes * kOthers, 0);
  const dim3 grid(kOthers / kTile, kOnes / kTile);
  VARIANT(variant, differ, <<<grid, 256>>>(ones, others, out));
  return total(out, kOnes * kOthers);
}

// d: twelve layers of a small network of whole numbers.
constexpr int kUnits = 1 << 16, kDeep = 12;

__device__ int biased(int value, int layer) { return value + layer * 3 - 7; }
__device__ int bent(int value) { return value > 0 ? value : value / 8; }
__device__ int scaled(int value, int unit) { return value * (unit % 5 + 3) >> 2; }
__device__ int limited(int value) { return min(max(value, -4096), 4095); }

__global__ void bias(int* units, int layer) {
  units[work_item()] = biased(units[work_item()], layer);
}
__global__ void bend(int* units) { units[work_item()] = bent(units[work_item()]); }
__global__ void scale(int* units) { units[work_item()] = scaled(units[work_item()], work_item()); }
__global__ void add(int* units, const int* skipped) { units[work_item()] += skipped[work_item()]; }
__global__ void limit(int* units) { units[work_item()] = limited(units[work_item()]); }

__global__ void layer_of(int* units, const int* skipped, int layer) {
  const int i = work_item();
  units[i] = limited(scaled(bent(biased(units[i], layer)), i) + skipped[i]);
}

double d(int variant) {
  int* units = mixed<int>(kUnits, 256);
  int* skipped = mixed<int>(kUnits, 64);
  for (int layer = 0; layer < kDeep; ++layer) {
    if (variant) {
      layer_of<<<kUnits / 256, 256>>>(units, skipped, layer);
      continue;
    }
    bias<<<kUnits / 256, 256>>>(units, layer);
    bend<<<kUnits / 256, 256>>>(units);
    scale<<<kUnits / 256, 256>>>(units);
    add<<<kUnits / 256, 256>>>(units, skipped);
    limit<<<kUnits / 256, 256>>>(units);
  }
  return total(units, kUnits);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
