#include "data.h"

// a: warmth that has spread along 77824 bars of 61 pieces each by the end of a long step.
constexpr int kBars = 304 * 256, kLong = 61;

template <int kVariant>
__device__ int piece(int k) {
  return kVariant ? k * kBars + work_item() : work_item() * kLong + k;
}

__global__ void prepare_bars(float* warmth, bool by_bar) {
  const int i = work_item(), bar = i % kBars, k = i / kBars;
  warmth[by_bar ? bar * kLong + k : i] = hashed(i) % 64;
}

template <int kVariant>
__global__ __launch_bounds__(256) void spread(const float* __restrict__ warmth,
                                              float* __restrict__ shares,
                                              float* __restrict__ out) {
  const float width = 3 + 0.25f * (work_item() % 5);
  float share = 0, before = 0;
#pragma unroll 4
  for (int k = 0; k < kLong; ++k) {
    const float by = 1 / (width - share);
    share = by;
    before = (warmth[piece<kVariant>(k)] + before) * by;
    shares[piece<kVariant>(k)] = by;
    out[piece<kVariant>(k)] = before;
  }
#pragma unroll 4
  for (int k = kLong - 2; k >= 0; --k) {
    before = out[piece<kVariant>(k)] + shares[piece<kVariant>(k)] * before;
    out[piece<kVariant>(k)] = before;
  }
}

double a(int variant) {
  constexpr int kPieces = kBars * kLong;
  float *warmth = filled<float>(kPieces, 0), *shares = filled<float>(kPieces, 0);
  prepare_bars<<<kPieces / 256, 256>>>(warmth, !variant);
  float* out = filled<float>(kPieces, 0);
  VARIANT(variant, spread, <<<kBars / 256, 256>>>(warmth, shares, out));
  return total(out, kPieces);
}

// b: running sums within 1216 pages of a ledger of 4096 lines; a work-item has 16 lines.
constexpr int kPages = 1216, kLines = 4096, kOwn = kLines / 256;

template <int kVariant>
__host__ __device__ constexpr int slot(int line) {
  return kVariant ? line + line / kOwn : line;
}

__device__ int before_me(int sum) {
  __shared__ int waves[4];
  const int lane = threadIdx.x % 64, wave = threadIdx.x / 64, own = sum;
#pragma unroll
  for (int step = 1; step < 64; step *= 2) {
    const int before = __shfl_up(sum, step);
    sum += lane >= step ? before : 0;
  }
  if (lane == 63) waves[wave] = sum;
  __syncthreads();
  for (int k = 0; k < wave; ++k) sum += waves[k];
  return sum - own;
}

template <int kVariant>
__global__ __launch_bounds__(256) void balance(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int page[slot<kVariant>(kLines)];
  const int first = blockIdx.x * kLines;
#pragma unroll
  for (int k = 0; k < kLines; k += 256)
    page[slot<kVariant>(k + threadIdx.x)] = in[first + k + threadIdx.x];
  __syncthreads();
  int* own = page + slot<kVariant>(threadIdx.x * kOwn);
  int sum = 0;
#pragma unroll
  for (int k = 0; k < kOwn; ++k) sum += own[k];
  sum = before_me(sum);
#pragma unroll
  for (int k = 0; k < kOwn; ++k) own[k] = sum += own[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kLines; k += 256)
    out[first + k + threadIdx.x] = page[slot<kVariant>(k + threadIdx.x)];
}

double b(int variant) {
  int* in = mixed<int>(kPages * kLines, 64);
  int* out = filled<int>(kPages * kLines, 0);
  VARIANT(variant, balance, <<<kPages, 256>>>(in, out));
  return total(out, kPages * kLines);
}

// c: warmth in a ring of four million places, eight steps.
constexpr int kTile = 1024, kSteps = 8, kKept = kTile - 2 * kSteps, kTiles = 4096;
constexpr int kPlaces = kKept * kTiles;

__device__ float warmed(float west, float own, float east) {
  return 0.5f * own + 0.25f * (west + east);
}

__global__ __launch_bounds__(256) void warm(const float* __restrict__ in,
                                            float* __restrict__ out) {
  const int i = work_item(), west = i ? i - 1 : kPlaces - 1, east = i + 1 < kPlaces ? i + 1 : 0;
  out[i] = warmed(in[west], in[i], in[east]);
}

__global__ __launch_bounds__(256) void warm_eight(const float* __restrict__ in,
                                                  float* __restrict__ out) {
  __shared__ float tile[kTile];
  const int first = blockIdx.x * kKept - kSteps + kPlaces, t = threadIdx.x;
  float own[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) own[k] = in[(first + k * 256 + t) % kPlaces];
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (int k = 0; k < 4; ++k) tile[k * 256 + t] = own[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int i = k * 256 + t;
      own[k] = warmed(tile[max(i - 1, 0)], own[k], tile[min(i + 1, kTile - 1)]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int i = k * 256 + t;
    if (i >= kSteps && i < kTile - kSteps) out[(first + i) % kPlaces] = own[k];
  }
}

double c(int variant) {
  float *in = mixed<float>(kPlaces, 4096), *out = filled<float>(kPlaces, 0);
  if (variant) {
    warm_eight<<<kTiles, 256>>>(in, out);
    return total(out, kPlaces);
  }
  for (int step = 0; step < kSteps; ++step) {
    warm<<<kPlaces / 256, 256>>>(in, out);
    std::swap(in, out);
  }
  return total(in, kPlaces);
}

// d: how far 77824 shares are below the highest price that they had until then, on 96 days.
constexpr int kShares = 304 * 256, kDays = 96, kAhead = 8;

__device__ int next_peak(int peak, int price) { return max(peak - (peak >> 6), price); }

__global__ __launch_bounds__(256) void fall(const int* prices, int* out) {
  int peak = 0;
#pragma unroll 4
  for (int day = 0; day < kDays; ++day) {
    const int price = prices[day * kShares + work_item()];
    peak = next_peak(peak, price);
    out[day * kShares + work_item()] = peak - price;
  }
}

__global__ __launch_bounds__(256) void fall_eight(const int* prices, int* out) {
  int peak = 0, read[kAhead];
#pragma unroll 1
  for (int day = 0; day < kDays; day += kAhead) {
#pragma unroll
    for (int k = 0; k < kAhead; ++k) read[k] = prices[(day + k) * kShares + work_item()];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      peak = next_peak(peak, read[k]);
      out[(day + k) * kShares + work_item()] = peak - read[k];
    }
  }
}

double d(int variant) {
  int* prices = mixed<int>(kShares * kDays, 4096);
  int* out = filled<int>(kShares * kDays, 0);
  if (variant) fall_eight<<<kShares / 256, 256>>>(prices, out);
  else fall<<<kShares / 256, 256>>>(prices, out);
  return total(out, kShares * kDays);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
