#include "data.h"

// a: random numbers with a normal distribution.
constexpr int kDrawers = 304 * 1024, kDraws = 8;

template <typename Real>
__global__ void draw(int* out) {
  int sum = 0;
  unsigned state = work_item() + 1;
  for (int k = 0; k < kDraws; ++k) {
    state = hashed(state);
    const Real size = Real((state >> 8) + 1) * Real(5.9604644775390625e-8);
    state = hashed(state);
    const Real angle = Real(state >> 8) * Real(1.1920928955078125e-7);
    sum += static_cast<int>(sqrt(-2 * log(size)) * cospi(angle) * 256) + 2048;
  }
  out[work_item()] = sum;
}

double a(int variant) {
  int* out = filled<int>(kDrawers, 0);
  if (variant) draw<float><<<kDrawers / 256, 256>>>(out);
  else draw<double><<<kDrawers / 256, 256>>>(out);
  return total(out, kDrawers);
}

// b: numbers of points along a curve that fills a box: bits of three coordinates in turn.
constexpr int kPoints = 1 << 20, kBits = 21;
using Wide = unsigned long;

__global__ void order_points(const unsigned* x, const unsigned* y, const unsigned* z, Wide* out) {
  const int i = work_item();
  const Wide px = x[i], py = y[i], pz = z[i];
  Wide code = 0;
  for (int bit = 0; bit < kBits; ++bit)
    code |= (px >> bit & 1) << 3 * bit | (py >> bit & 1) << (3 * bit + 1) |
            (pz >> bit & 1) << (3 * bit + 2);
  out[i] = code;
}

__device__ Wide spread(Wide value) {
  value = (value | value << 32) & 0x1f00000000fffful;
  value = (value | value << 16) & 0x1f0000ff0000fful;
  value = (value | value << 8) & 0x100f00f00f00f00ful;
  value = (value | value << 4) & 0x10c30c30c30c30c3ul;
  return (value | value << 2) & 0x1249249249249249ul;
}

__global__ void order_spread(const unsigned* x, const unsigned* y, const unsigned* z, Wide* out) {
  const int i = work_item();
  out[i] = spread(x[i]) | spread(y[i]) << 1 | spread(z[i]) << 2;
}

double b(int variant) {
  unsigned* all = mixed<unsigned>(kPoints * 3, 1 << kBits);
  Wide* out = filled<Wide>(kPoints, 0);
  const auto kernel = variant ? order_spread : order_points;
  kernel<<<kPoints / 256, 256>>>(all, all + kPoints, all + 2 * kPoints, out);
  return total(out, kPoints);
}

// c: scores of attention, queries times keys of 128 numbers of 16 bits, for two heads.
constexpr int kTokens = 1024, kDepth = 128, kHeads = 2, kTile = 64, kPart = 64;

typedef short Short4 __attribute__((ext_vector_type(4)));
typedef float Float4 __attribute__((ext_vector_type(4)));

__global__ void prepare_tokens(unsigned short* tokens, unsigned salt) {
  tokens[work_item()] = __float_as_uint(hashed(work_item() + salt) % 16) >> 16;
}

__device__ float wide(short value) { return __uint_as_float(static_cast<unsigned>(value) << 16); }

template <int kVariant>
__device__ void products(const unsigned short (*q)[kPart + 8], const unsigned short (*k)[kPart + 8],
                         Float4 (&sums)[4]) {
  const int lane = threadIdx.x % 64, wave = threadIdx.x / 64, part = lane / 16 * 4;
  if (kVariant) {
#pragma unroll
    for (int from = 0; from < kPart; from += 16) {
      const auto query = *reinterpret_cast<const Short4*>(&q[wave * 16 + lane % 16][from + part]);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const auto key = *reinterpret_cast<const Short4*>(&k[j * 16 + lane % 16][from + part]);
        sums[j] = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(query, key, sums[j], 0, 0, 0);
      }
    }
    return;
  }
#pragma unroll 2
  for (int from = 0; from < kPart; from += 4) {
    Short4 keys[4];
#pragma unroll
    for (int j = 0; j < 4; ++j)
      keys[j] = *reinterpret_cast<const Short4*>(&k[j * 16 + lane % 16][from]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const auto query = *reinterpret_cast<const Short4*>(&q[wave * 16 + part + i][from]);
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int d = 0; d < 4; ++d) sums[j][i] += wide(query[d]) * wide(keys[j][d]);
    }
  }
}

template <int kVariant>
__global__ __launch_bounds__(256) void attend(const unsigned short* queries,
                                              const unsigned short* keys, float* out) {
  __shared__ __attribute__((aligned(16))) unsigned short q[kTile][kPart + 8], k[kTile][kPart + 8];
  const int t = threadIdx.x, lane = t % 64, wave = t / 64;
  const int query = blockIdx.y * kTile, key = blockIdx.x * kTile, head = blockIdx.z * kTokens;
  Float4 sums[4] = {};
  for (int from = 0; from < kDepth; from += kPart) {
    for (int row = t / 8; row < kTile; row += 32) {
      const int at = from + t % 8 * 8;
      *reinterpret_cast<uint4*>(&q[row][t % 8 * 8]) =
          *reinterpret_cast<const uint4*>(queries + (head + query + row) * kDepth + at);
      *reinterpret_cast<uint4*>(&k[row][t % 8 * 8]) =
          *reinterpret_cast<const uint4*>(keys + (head + key + row) * kDepth + at);
    }
    __syncthreads();
    products<kVariant>(q, k, sums);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      out[(head + query + wave * 16 + lane / 16 * 4 + i) * kTokens + key + j * 16 + lane % 16] =
          sums[j][i];
}

double c(int variant) {
  constexpr int kNumbers = kHeads * kTokens * kDepth;
  auto* queries = filled<unsigned short>(kNumbers, 0);
  auto* keys = filled<unsigned short>(kNumbers, 0);
  prepare_tokens<<<kNumbers / 256, 256>>>(queries, 1);
  prepare_tokens<<<kNumbers / 256, 256>>>(keys, 2);
  float* out = filled<float>(kHeads * kTokens * kTokens, 0);
  const dim3 grid(kTokens / kTile, kTokens / kTile, kHeads);
  VARIANT(variant, attend, <<<grid, 256>>>(queries, keys, out));
  return total(out, kHeads * kTokens * kTokens);
}

// d: the best path through 64 states for what was heard, a wave for each of 1216 recordings.
constexpr int kRecordings = 1216, kHeard = 160, kSounds = 1 << 16;

template <int kAtOnce>
__global__ __launch_bounds__(256) void decode(const int* heard, const int* likely, int* out,
                                              int length) {
  const int lane = threadIdx.x % 64;
  const int recording = blockIdx.x * 4 + __builtin_amdgcn_readfirstlane(threadIdx.x / 64);
  const int* own = heard + recording * kHeard;
  int score = lane;
#pragma unroll 1
  for (int time = 0; time < length; time += kAtOnce) {
    int here[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) here[k] = likely[own[time + k] * 64 + lane];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const int before = __shfl_up(score, 1);
      score = max(score, before + 3) + here[k];
    }
  }
  out[work_item()] = score;
}

double d(int variant) {
  int* heard = mixed<int>(kRecordings * kHeard, kSounds);
  int* likely = mixed<int>(kSounds * 64, 256);
  int* out = filled<int>(kRecordings * 64, 0);
  const auto kernel = variant ? decode<8> : decode<1>;
  kernel<<<kRecordings / 4, 256>>>(heard, likely, out, kHeard);
  return total(out, kRecordings * 64);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
