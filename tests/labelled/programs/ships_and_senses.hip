#include "data.h"

// a: which of four million stars is the nearest to each of eight ships.
constexpr int kStars = 1 << 22, kShips = 8, kEach = 16;

struct Places {
  const float *x, *y, *z;
};

__device__ int away(const float* ship, float x, float y, float z) {
  const float dx = x - ship[0], dy = y - ship[1], dz = z - ship[2];
  return static_cast<int>(dx * dx + dy * dy + dz * dz);
}

__device__ void keep_least(int* out, int least) {
  for (int step = 32; step > 0; step /= 2) least = min(least, __shfl_xor(least, step));
  if (threadIdx.x % 64 == 0) out[work_item() / 64] = least;
}

template <int kAtOnce>
__global__ __launch_bounds__(256) void nearest(Places stars, const float* __restrict__ ships,
                                               int* __restrict__ out) {
  const int first = blockIdx.y * kAtOnce;
  int least[kAtOnce];
#pragma unroll
  for (int& value : least) value = 1 << 30;
#pragma unroll 4
  for (int k = 0; k < kEach; ++k) {
    const int i = (blockIdx.x * kEach + k) * 256 + threadIdx.x;
    const float x = stars.x[i], y = stars.y[i] * 0.5f, z = stars.z[i] * 0.25f;
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j)
      least[j] = min(least[j], away(ships + (first + j) * 3, x, y, z));
  }
#pragma unroll
  for (int j = 0; j < kAtOnce; ++j) keep_least(out + (first + j) * (kStars / kEach / 64), least[j]);
}

double a(int variant) {
  const Places stars = {mixed<float>(kStars, 4093), mixed<float>(kStars, 4091),
                        mixed<float>(kStars, 4079)};
  float* ships = mixed<float>(256, 2048);
  constexpr int kOut = kShips * (kStars / kEach / 64), kGroups = kStars / kEach / 256;
  int* out = filled<int>(kOut, 0);
  if (variant) nearest<kShips><<<dim3(kGroups, 1), 256>>>(stars, ships, out);
  else nearest<1><<<dim3(kGroups, kShips), 256>>>(stars, ships, out);
  return total(out, kOut);
}

// b: 1216 networks of 64 cells, a wave each; 16 rounds, in which 16 remembered patterns draw all
// cells towards them, the more the more alike they are.
constexpr int kNetworks = 1216, kPatterns = 16, kRounds = 16;
using Patterns = const int (*)[64];

__device__ int drawn_one_by_one(Patterns patterns, int own, int lane) {
  int drive = 0;
#pragma unroll 1
  for (int k = 0; k < kPatterns; ++k) {
    const int wanted = patterns[k][lane];
    int alike = own * wanted;
#pragma unroll
    for (int step = 32; step > 0; step /= 2) alike += __shfl_xor(alike, step);
    drive += wanted * (alike >> 6);
  }
  return drive;
}

__device__ int drawn_together(Patterns patterns, int own, int lane) {
  int alike[kPatterns], drive = 0;
#pragma unroll
  for (int k = 0; k < kPatterns; ++k) alike[k] = own * patterns[k][lane];
#pragma unroll
  for (int step = 32; step > 0; step /= 2) {
    int other[kPatterns];
#pragma unroll
    for (int k = 0; k < kPatterns; ++k) other[k] = __shfl_xor(alike[k], step);
#pragma unroll
    for (int k = 0; k < kPatterns; ++k) alike[k] += other[k];
  }
#pragma unroll
  for (int k = 0; k < kPatterns; ++k) drive += patterns[k][lane] * (alike[k] >> 6);
  return drive;
}

template <int kVariant>
__global__ __launch_bounds__(256) void recall(const int* __restrict__ remembered,
                                              const int* __restrict__ cells,
                                              int* __restrict__ out) {
  __shared__ int patterns[kPatterns][64];
  for (int k = threadIdx.x; k < kPatterns * 64; k += 256)
    patterns[k / 64][k % 64] = remembered[k] - 16;
  __syncthreads();
  const int lane = threadIdx.x % 64;
  int own = cells[work_item()];
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    const int drive =
        kVariant ? drawn_together(patterns, own, lane) : drawn_one_by_one(patterns, own, lane);
    own = min(max((own * 3 >> 2) + (drive >> 8), -128), 127);
  }
  out[work_item()] = own + 128;
}

double b(int variant) {
  int* remembered = mixed<int>(kPatterns * 64, 32);
  int* cells = mixed<int>(kNetworks * 64, 128);
  int* out = filled<int>(kNetworks * 64, 0);
  VARIANT(variant, recall, <<<kNetworks / 4, 256>>>(remembered, cells, out));
  return total(out, kNetworks * 64);
}

// c: how 64 genes vary together, in 608 tissues of 128 samples each.
constexpr int kTissues = 608, kGenes = 64, kSamples = 128, kPiece = 64, kRoom = kPiece + 8;

typedef _Float16 Half4 __attribute__((ext_vector_type(4)));
typedef float Float4 __attribute__((ext_vector_type(4)));
using Tile = const _Float16 (*)[kRoom];

__global__ void prepare_genes(_Float16* genes) {
  genes[work_item()] = static_cast<_Float16>(static_cast<float>(hashed(work_item()) % 8));
}

template <int kVariant>
__device__ void products(Tile tile, Float4 (&sums)[4]) {
  const int lane = threadIdx.x % 64, wave = threadIdx.x / 64, part = lane / 16 * 4;
  if (kVariant) {
#pragma unroll
    for (int from = 0; from < kPiece; from += 16) {
      const auto own = *reinterpret_cast<const Half4*>(&tile[wave * 16 + lane % 16][from + part]);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const auto other = *reinterpret_cast<const Half4*>(&tile[j * 16 + lane % 16][from + part]);
        sums[j] = __builtin_amdgcn_mfma_f32_16x16x16f16(own, other, sums[j], 0, 0, 0);
      }
    }
    return;
  }
#pragma unroll 2
  for (int from = 0; from < kPiece; from += 4) {
    Half4 four[4];
#pragma unroll
    for (int j = 0; j < 4; ++j)
      four[j] = *reinterpret_cast<const Half4*>(&tile[j * 16 + lane % 16][from]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const auto own = *reinterpret_cast<const Half4*>(&tile[wave * 16 + part + i][from]);
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int k = 0; k < 4; ++k)
          sums[j][i] += static_cast<float>(own[k]) * static_cast<float>(four[j][k]);
    }
  }
}

template <int kVariant>
__global__ __launch_bounds__(256) void vary(const _Float16* __restrict__ genes,
                                            float* __restrict__ out) {
  __shared__ __attribute__((aligned(16))) _Float16 tile[kGenes][kRoom];
  const int t = threadIdx.x, lane = t % 64, wave = t / 64, column = t % 8 * 8;
  const _Float16* tissue = genes + blockIdx.x * kGenes * kSamples;
  Float4 sums[4] = {};
#pragma unroll 1
  for (int from = 0; from < kSamples; from += kPiece) {
#pragma unroll
    for (int gene = t / 8; gene < kGenes; gene += 32)
      *reinterpret_cast<uint4*>(&tile[gene][column]) =
          *reinterpret_cast<const uint4*>(tissue + gene * kSamples + from + column);
    __syncthreads();
    products<kVariant>(tile, sums);
    __syncthreads();
  }
  out += blockIdx.x * kGenes * kGenes;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      out[(wave * 16 + lane / 16 * 4 + i) * kGenes + j * 16 + lane % 16] = sums[j][i];
}

double c(int variant) {
  constexpr int kIn = kTissues * kGenes * kSamples, kOut = kTissues * kGenes * kGenes;
  auto* genes = filled<_Float16>(kIn, 0);
  prepare_genes<<<kIn / 256, 256>>>(genes);
  float* out = filled<float>(kOut, 0);
  VARIANT(variant, vary, <<<kTissues, 256>>>(genes, out));
  return total(out, kOut);
}

// d: a robot that listens to three of its senses, each in its own way, step by step in time; the
// cells of its skin and of its balance look at one another now and then.
constexpr int kCells = 4096, kTouches = 6, kLeans = 3;

__device__ int other_cell() { return (work_item() + 1023) % kCells; }

__global__ __launch_bounds__(64) void feel(const int* __restrict__ in, int* __restrict__ out) {
  int held = in[work_item()] + in[other_cell()];
#pragma unroll 4
  for (int time = 0; time < 300; ++time) {
    const int pressed = held * 3 + (held >> 5) + time;
    held = pressed & 1 ? pressed >> 1 : pressed & 0xffff;
  }
  out[work_item()] = held;
}

__global__ __launch_bounds__(64) void watch(const int* __restrict__ in, int* __restrict__ out) {
  unsigned seen = in[work_item()] | 1;
  int turns = 0;
#pragma unroll 4
  for (int time = 0; time < 3200; ++time) {
    seen ^= seen << 13;
    seen ^= seen >> 17;
    seen ^= seen << 5;
    turns += seen >> 31;
  }
  out[work_item()] = turns;
}

__global__ __launch_bounds__(64) void balance(const int* __restrict__ in, int* __restrict__ out) {
  float lean = (in[work_item()] + in[other_cell()]) * 0.00001f, speed = 0;
#pragma unroll 4
  for (int time = 0; time < 800; ++time) {
    speed += 0.015625f * (lean - lean * lean * lean * 0.125f) - 0.03125f * speed - 0.03125f * lean;
    lean += 0.0625f * speed;
  }
  out[work_item()] = static_cast<int>(lean * 65536) + 65536;
}

double d(int variant) {
  constexpr int kGroups = kCells / 64;
  int* cells = mixed<int>(6 * kCells, 65521);
  int *skin[2] = {cells, cells + kCells}, *eyes[2] = {cells + 2 * kCells, cells + 3 * kCells};
  int* ears[2] = {cells + 4 * kCells, cells + 5 * kCells};
  hipStream_t streams[3];
  for (auto& stream : streams) HIP_CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  const hipStream_t second = streams[variant ? 1 : 0], third = streams[variant ? 2 : 0];
  HIP_CHECK(hipDeviceSynchronize());
  watch<<<kGroups, 64, 0, streams[0]>>>(eyes[0], eyes[1]);
  for (int k = 0; k < kLeans; ++k)
    balance<<<kGroups, 64, 0, second>>>(ears[k % 2], ears[(k + 1) % 2]);
  for (int k = 0; k < kTouches; ++k)
    feel<<<kGroups, 64, 0, third>>>(skin[k % 2], skin[(k + 1) % 2]);
  HIP_CHECK(hipDeviceSynchronize());
  return total(cells, 6 * kCells);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
