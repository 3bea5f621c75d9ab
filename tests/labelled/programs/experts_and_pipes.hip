#include "data.h"

// a: words that 608 experts were chosen for, 64 each; an expert has 64 weights for each of the 128
// numbers of a word.
constexpr int kExperts = 608, kWords = 64, kNumbers = 128, kPiece = 64, kRoom = kPiece + 8;

typedef _Float16 Half4 __attribute__((ext_vector_type(4)));
typedef float Float16 __attribute__((ext_vector_type(16)));
using Tile = const _Float16 (*)[kRoom];

__global__ void prepare_halves(_Float16* data, int range) {
  data[work_item()] = static_cast<_Float16>(static_cast<float>(hashed(work_item()) % range));
}

__device__ Half4 four_of(Tile tile, int row, int from) {
  return *reinterpret_cast<const Half4*>(&tile[row][from]);
}

// A wave has 32 x 32 results; element i of a lane is at this place of them.
template <int kVariant>
__device__ int row_of(int i) {
  const int lane = threadIdx.x % 64;
  return kVariant ? i / 4 * 8 + lane / 32 * 4 + i % 4 : lane / 8 + i / 4 * 8;
}

template <int kVariant>
__device__ int column_of(int i) {
  return kVariant ? threadIdx.x % 32 : threadIdx.x % 8 + i % 4 * 8;
}

__device__ void weigh_by_matrix(Tile words, Tile weights, Float16& sums) {
  const int lane = threadIdx.x % 32, part = threadIdx.x % 64 / 32 * 4;
#pragma unroll
  for (int from = 0; from < kPiece; from += 8)
    sums = __builtin_amdgcn_mfma_f32_32x32x8f16(four_of(words, lane, from + part),
                                                four_of(weights, lane, from + part), sums, 0, 0, 0);
}

__device__ void weigh_one_by_one(Tile words, Tile weights, Float16& sums) {
#pragma unroll 2
  for (int from = 0; from < kPiece; from += 4) {
    Half4 own[4], weight[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      own[i] = four_of(words, row_of<0>(i * 4), from);
      weight[i] = four_of(weights, column_of<0>(i), from);
    }
#pragma unroll
    for (int i = 0; i < 16; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k)
        sums[i] += static_cast<float>(own[i / 4][k]) * static_cast<float>(weight[i % 4][k]);
  }
}

__device__ void read_piece(_Float16 (*tile)[kRoom], const _Float16* from) {
  const int column = threadIdx.x % 8 * 8;
#pragma unroll
  for (int row = threadIdx.x / 8; row < 64; row += 32)
    *reinterpret_cast<uint4*>(&tile[row][column]) =
        *reinterpret_cast<const uint4*>(from + row * kNumbers + column);
}

template <int kVariant>
__global__ __launch_bounds__(256) void consult(const _Float16* __restrict__ words,
                                               const _Float16* __restrict__ weights,
                                               float* __restrict__ out) {
  __shared__ __attribute__((aligned(16))) _Float16 own[kWords][kRoom], known[64][kRoom];
  const int wave = threadIdx.x / 64, row0 = wave / 2 * 32, column0 = wave % 2 * 32;
  const int expert = blockIdx.x * 64 * kNumbers;
  Float16 sums = {};
#pragma unroll 1
  for (int from = 0; from < kNumbers; from += kPiece) {
    read_piece(own, words + expert + from);
    read_piece(known, weights + expert + from);
    __syncthreads();
    if (kVariant) weigh_by_matrix(own + row0, known + column0, sums);
    else weigh_one_by_one(own + row0, known + column0, sums);
    __syncthreads();
  }
  out += blockIdx.x * 64 * 64;
#pragma unroll
  for (int i = 0; i < 16; ++i)
    out[(row0 + row_of<kVariant>(i)) * 64 + column0 + column_of<kVariant>(i)] = sums[i];
}

double a(int variant) {
  constexpr int kIn = kExperts * 64 * kNumbers, kOut = kExperts * 64 * 64;
  auto *words = filled<_Float16>(kIn, 0), *weights = filled<_Float16>(kIn, 0);
  prepare_halves<<<kIn / 256, 256>>>(words, 8);
  prepare_halves<<<kIn / 256, 256>>>(weights, 7);
  float* out = filled<float>(kOut, 0);
  VARIANT(variant, consult, <<<kExperts, 256>>>(words, weights, out));
  return total(out, kOut);
}

// b: how well a patch of 192 pixels fits a page of a book of patterns, which refers to the next
// page, 64 times; the patch is made independent of how bright it is.
constexpr int kPatches = 304 * 2048, kPatch = 192, kPages = 1 << 14, kTurns = 64;

__global__ void prepare_pages(int* pages) {
  const int i = work_item();
  pages[i] = hashed(i / 64 + 5) % kPages | hashed(i) << 16;
}

__device__ int leaf_through(const int* __restrict__ pages, int wanted) {
  int page = work_item() / 64 % kPages, seen = wanted;
#pragma unroll 1
  for (int k = 0; k < kTurns; ++k) {
    const int found = pages[page * 64 + threadIdx.x % 64];
    page = found & (kPages - 1);
    seen = seen * 3 + (found >> 16);
  }
  return seen & 63;
}

__device__ const int* patch_of(const int* __restrict__ pixels) {
  return pixels + work_item() % 2048;
}

__global__ __launch_bounds__(256) void fit(const int* __restrict__ pages,
                                           const int* __restrict__ pixels, int* __restrict__ out) {
  const int* patch = patch_of(pixels);
  int own[kPatch], bright = 0, sum = 0;
#pragma unroll
  for (int k = 0; k < kPatch; ++k) bright += own[k] = patch[k * 64];
  const int found = leaf_through(pages, bright), mean = bright / kPatch + found;
#pragma unroll
  for (int k = 0; k < kPatch; ++k) sum += max(own[k] - mean, 0);
  out[work_item()] = sum;
}

__global__ __launch_bounds__(256) void fit_again(const int* __restrict__ pages,
                                                 const int* __restrict__ pixels,
                                                 int* __restrict__ out) {
  const int* patch = patch_of(pixels);
  int bright = 0, sum = 0;
#pragma unroll 8
  for (int k = 0; k < kPatch; ++k) bright += patch[k * 64];
  const int found = leaf_through(pages, bright), mean = bright / kPatch + found;
#pragma unroll 8
  for (int k = 0; k < kPatch; ++k) sum += max(patch[k * 64] - mean, 0);
  out[work_item()] = sum;
}

double b(int variant) {
  int* pages = filled<int>(kPages * 64, 0);
  prepare_pages<<<kPages * 64 / 256, 256>>>(pages);
  int* pixels = mixed<int>(2048 + kPatch * 64, 256);
  int* out = filled<int>(kPatches, 0);
  if (variant) fit_again<<<kPatches / 256, 256>>>(pages, pixels, out);
  else fit<<<kPatches / 256, 256>>>(pages, pixels, out);
  return total(out, kPatches);
}

// c: specks taken out of a picture of 1216 x 512: the median of 5 x 5 pixels around each.
constexpr int kAcross = 1216, kDown = 512, kWindow = 25, kHalf = kWindow / 2, kPitch = kAcross + 4;

__device__ void in_order(int& lower, int& upper) {
  const int least = min(lower, upper);
  upper = max(lower, upper);
  lower = least;
}

__device__ int median_by_sorting(int (&window)[kWindow]) {
#pragma unroll
  for (int end = kWindow - 1; end > 0; --end)
#pragma unroll
    for (int k = 0; k < end; ++k) in_order(window[k], window[k + 1]);
  return window[kHalf];
}

// The least of the first `count` comes to the front and the most to the end.
template <int kCount>
__device__ void ends_out(int* values) {
#pragma unroll
  for (int k = 0; k < kCount / 2; ++k) in_order(values[k], values[kCount - 1 - k]);
#pragma unroll
  for (int k = 1; k < (kCount + 1) / 2; ++k) in_order(values[0], values[k]);
#pragma unroll
  for (int k = kCount / 2; k < kCount - 1; ++k) in_order(values[k], values[kCount - 1]);
}

// Neither the least nor the most of 14 of 25 is the median: both are forgotten, the next comes in.
template <int kCount>
__device__ int median_by_forgetting(int* values, const int* next) {
  ends_out<kCount>(values);
  if constexpr (kCount == 3) {
    return values[1];
  } else {
    values[kCount - 1] = *next;
    return median_by_forgetting<kCount - 1>(values + 1, next + 1);
  }
}

template <int kVariant>
__global__ __launch_bounds__(256) void clean(const int* __restrict__ picture,
                                             int* __restrict__ out) {
  const int x = blockIdx.x * 64 + threadIdx.x % 64, y = blockIdx.y * 4 + threadIdx.x / 64;
  int window[kWindow];
#pragma unroll
  for (int k = 0; k < kWindow; ++k) window[k] = picture[(y + k / 5) * kPitch + x + k % 5];
  out[y * kAcross + x] = kVariant ? median_by_forgetting<kHalf + 2>(window, window + kHalf + 2)
                                  : median_by_sorting(window);
}

double c(int variant) {
  int* picture = mixed<int>((kPitch * (kDown + 4) + 255) / 256 * 256, 65536);
  int* out = filled<int>(kAcross * kDown, 0);
  VARIANT(variant, clean, <<<dim3(kAcross / 64, kDown / 4), 256>>>(picture, out));
  return total(out, kAcross * kDown);
}

// d: 24320 networks of 20 pipes; pressures that are equal to those around them, by 32 rounds.
constexpr int kNetworks = 24320, kPipes = 20, kRounds = 32, kMost = 16;

__global__ void settle(const float* __restrict__ joints, const float* __restrict__ given,
                       float* __restrict__ out) {
  __shared__ float pressures[kMost][kPipes];
  const int own = threadIdx.x, network = blockIdx.x * blockDim.y + threadIdx.y;
  float width[kPipes], sum = 0;
#pragma unroll
  for (int k = 0; k < kPipes; ++k) {
    width[k] = joints[(network % 64 * kPipes + k) * kPipes + own] + 1;
    sum += width[k];
  }
  const float scale = 0.75f / sum, outside = given[network * kPipes + own];
  float pressure = outside;
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    pressures[threadIdx.y][own] = pressure;
    __syncthreads();
    float flow = 0;
#pragma unroll
    for (int k = 0; k < kPipes; ++k) flow += width[k] * pressures[threadIdx.y][k];
    pressure = 0.25f * outside + scale * flow;
    __syncthreads();
  }
  out[network * kPipes + own] = pressure;
}

double d(int variant) {
  float* joints = mixed<float>(64 * kPipes * kPipes, 16);
  float* given = mixed<float>(kNetworks * kPipes, 64);
  float* out = filled<float>(kNetworks * kPipes, 0);
  const int networks = variant ? kMost : 1;
  settle<<<kNetworks / networks, dim3(kPipes, networks)>>>(joints, given, out);
  return total(out, kNetworks * kPipes);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
