#include "data.h"

// a: a layer that makes 64 channels of 64, pixel by pixel, for eight pictures of 152 x 128; what is
// below nothing becomes nothing.
constexpr int kPixels = 8 * 152 * 128, kIn = 64, kOut = 64;

typedef _Float16 Half4 __attribute__((ext_vector_type(4)));
typedef float Float4 __attribute__((ext_vector_type(4)));

__global__ void prepare_halves(_Float16* data, int range) {
  data[work_item()] = static_cast<_Float16>(static_cast<float>(hashed(work_item()) % range) - 3);
}

__global__ __launch_bounds__(128) void mix(const _Float16* __restrict__ picture,
                                           const _Float16* __restrict__ weights,
                                           float* __restrict__ out) {
  float sums[kOut] = {};
#pragma unroll 4
  for (int k = 0; k < kIn; ++k) {
    const float pixel = picture[k * kPixels + work_item()];
#pragma unroll
    for (int i = 0; i < kOut; ++i) sums[i] += static_cast<float>(weights[i * kIn + k]) * pixel;
  }
#pragma unroll
  for (int i = 0; i < kOut; ++i) out[i * kPixels + work_item()] = fmaxf(sums[i], 0);
}

// A wave has all channels of 64 pixels, in tiles of 16 x 16.
__global__ __launch_bounds__(128) void mix_tiles(const _Float16* __restrict__ picture,
                                                 const _Float16* __restrict__ weights,
                                                 float* __restrict__ out) {
  const int column = threadIdx.x % 16, part = threadIdx.x % 64 / 16 * 4;
  const int first = work_item() / 64 * 64 + column;
  Float4 sums[kOut / 16][4] = {};
#pragma unroll
  for (int k = part; k < kIn + part; k += 16) {
    Half4 own[kOut / 16], pixels;
#pragma unroll
    for (int i = 0; i < kOut / 16; ++i)
      own[i] = *reinterpret_cast<const Half4*>(weights + (i * 16 + column) * kIn + k);
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
#pragma unroll
      for (int j = 0; j < 4; ++j) pixels[j] = picture[(k + j) * kPixels + first + tile * 16];
#pragma unroll
      for (int i = 0; i < kOut / 16; ++i)
        sums[i][tile] =
            __builtin_amdgcn_mfma_f32_16x16x16f16(own[i], pixels, sums[i][tile], 0, 0, 0);
    }
  }
#pragma unroll
  for (int i = 0; i < kOut; ++i) {
    const float sum = sums[i / 16][i / 4 % 4][i % 4];
    out[(i / 16 * 16 + part + i % 4) * kPixels + first + i / 4 % 4 * 16] = fmaxf(sum, 0);
  }
}

double a(int variant) {
  auto *picture = filled<_Float16>(kIn * kPixels, 0), *weights = filled<_Float16>(kIn * kOut, 0);
  prepare_halves<<<kIn * kPixels / 256, 256>>>(picture, 8);
  prepare_halves<<<kIn * kOut / 256, 256>>>(weights, 7);
  float* out = filled<float>(kOut * kPixels, 0);
  if (variant) mix_tiles<<<kPixels / 128, 128>>>(picture, weights, out);
  else mix<<<kPixels / 128, 128>>>(picture, weights, out);
  return total(out, kOut * kPixels);
}

// b: how often each two of 64 shades stand at the same place of two scans of a head that are to
// be laid upon each other.
constexpr int kScanX = 608, kScanY = 512, kScan = kScanX * kScanY, kShades = 64, kCopies = 16;
constexpr int kBins = kShades * kShades;

__global__ void prepare_scans(unsigned char* scans) {
  const int i = work_item(), noise = hashed(i), tissue = hashed(i / 97) % 5;
  scans[i] = min(tissue * 13 + (noise & 3), kShades - 1);
  scans[kScan + i] = min(60 - tissue * 12 + (noise >> 4 & 1), kShades - 1);
}

__global__ __launch_bounds__(304) void compare(const unsigned char* __restrict__ scans,
                                               int* __restrict__ bins, int copies) {
  const int x = blockIdx.x * 304 + threadIdx.x, i = blockIdx.y * kScanX + x;
  atomicAdd(bins + blockIdx.y % copies * kBins + scans[i] * kShades + scans[kScan + i], 1);
}

__global__ __launch_bounds__(64) void add_copies(const int* __restrict__ bins,
                                                 int* __restrict__ out, int copies) {
  int sum = 0;
  for (int k = 0; k < copies; ++k) sum += bins[k * kBins + work_item()];
  out[work_item()] = sum * (work_item() % 7);
}

double b(int variant) {
  auto* scans = filled<unsigned char>(2 * kScan, 0);
  prepare_scans<<<kScan / 256, 256>>>(scans);
  int *bins = filled<int>(kCopies * kBins, 0), *out = filled<int>(kBins, 0);
  const int copies = variant ? kCopies : 1;
  compare<<<dim3(kScanX / 304, kScanY), 304>>>(scans, bins, copies);
  add_copies<<<kBins / 64, 64>>>(bins, out, copies);
  return total(out, kBins);
}

// c: 1216 recordings of 10240 samples played in grains by 256 voices: where a grain ends depends on
// the sample that was heard last; 96 grains each.
constexpr int kRecordings = 1216, kHeld = 10240, kGrains = 96;

template <typename Sample>
__global__ __launch_bounds__(256) void play(const short* __restrict__ recordings,
                                            int* __restrict__ out) {
  __shared__ Sample held[kHeld];
  const short* own = recordings + blockIdx.x % 64 * kHeld;
#pragma unroll 8
  for (int k = threadIdx.x; k < kHeld; k += 256) held[k] = own[k];
  __syncthreads();
  int at = threadIdx.x * 37, heard = 0;
#pragma unroll 1
  for (int k = 0; k < kGrains; ++k) {
    const int sample = static_cast<int>(held[at]);
    heard += sample ^ k;
    at += (sample & 1023) + 1;
    at = at < kHeld ? at : at - kHeld;
  }
  out[work_item()] = heard;
}

double c(int variant) {
  auto* recordings = mixed<short>(64 * kHeld, 32749);
  int* out = filled<int>(kRecordings * 256, 0);
  if (variant) play<short><<<kRecordings, 256>>>(recordings, out);
  else play<float><<<kRecordings, 256>>>(recordings, out);
  return total(out, kRecordings * 256);
}

// d: what 2432 contracts are worth on average that end after 4 to 41 weeks, by 1024 courses of the
// price for each; contracts lie in the order of their ends.
constexpr int kContracts = 2432, kDesks = 304, kEach = kContracts / kDesks;

__device__ int course(int contract) {
  int price = 8192, paid = 0;
  unsigned chance = hashed(contract * 1024 + threadIdx.x) | 1;
#pragma unroll 2
  for (int week = 0; week < 4 + contract / 64; ++week) {
    chance ^= chance << 13;
    chance ^= chance >> 17;
    chance ^= chance << 5;
    price += static_cast<int>(chance & 511) - 255;
    paid += max(price - 8192, 0) >> 4;
  }
  return paid;
}

template <int kVariant>
__global__ __launch_bounds__(1024) void value(int* __restrict__ out) {
#pragma unroll 1
  for (int k = 0; k < kEach; ++k) {
    const int desk = blockIdx.x, to_and_fro = k % 2 ? kDesks - 1 - desk : desk;
    const int contract = kVariant ? k * kDesks + to_and_fro : desk * kEach + k;
    out[contract * 1024 + threadIdx.x] = course(contract);
  }
}

double d(int variant) {
  int* out = filled<int>(kContracts * 1024, 0);
  VARIANT(variant, value, <<<kDesks, 1024>>>(out));
  return total(out, kContracts * 1024);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
