#include "data.h"

// a: 77824 gauges of a power grid, 96 readings each, smoothed: what is left of the reading before
// counts as well, less if the new one is far from it.
constexpr int kGauges = 304 * 256, kReadings = 96;

struct Smooth {
  float held = 0;
  __device__ float take(float reading) {
    const float miss = reading - held;
    held += miss * (fabsf(miss) > 20 ? 0.5f : 0.125f);
    return held;
  }
};

__global__ __launch_bounds__(256) void smooth(const float* readings, float* smoothed) {
  Smooth gauge;
#pragma unroll 16
  for (int k = 0; k < kReadings; ++k)
    smoothed[k * kGauges + work_item()] = gauge.take(readings[k * kGauges + work_item()]);
}

// Readings do not lie where anything is written.
__global__ __launch_bounds__(256) void smooth_apart(const float* __restrict__ readings,
                                                    float* __restrict__ smoothed) {
  Smooth gauge;
#pragma unroll 16
  for (int k = 0; k < kReadings; ++k)
    smoothed[k * kGauges + work_item()] = gauge.take(readings[k * kGauges + work_item()]);
}

double a(int variant) {
  float* readings = mixed<float>(kReadings * kGauges, 100);
  float* smoothed = filled<float>(kReadings * kGauges, 0);
  if (variant) smooth_apart<<<kGauges / 256, 256>>>(readings, smoothed);
  else smooth<<<kGauges / 256, 256>>>(readings, smoothed);
  return total(smoothed, kReadings * kGauges);
}

// b: the shortest ways between all 64 towns of each of 304 islands, by trying every town as one
// that is passed through.
constexpr int kIslands = 304, kTowns = 64;

template <int kVariant>
__global__ __launch_bounds__(256) void ways(const int* __restrict__ roads, int* __restrict__ out) {
  __shared__ int way[kTowns][kTowns];
  const int* __restrict__ road = roads + blockIdx.x * kTowns * kTowns;
  for (int k = threadIdx.x; k < kTowns * kTowns; k += 256)
    way[k / kTowns][k % kTowns] = road[k] + 1;
  __syncthreads();
  const int own = threadIdx.x % kTowns, first = threadIdx.x / kTowns * 16;
#pragma unroll 1
  for (int over = 0; over < kTowns; ++over) {
#pragma unroll 4
    for (int other = first; other < first + 16; ++other) {
      const int from = kVariant ? other : own, to = kVariant ? own : other;
      way[from][to] = min(way[from][to], way[from][over] + way[over][to]);
    }
    __syncthreads();
  }
  for (int k = threadIdx.x; k < kTowns * kTowns; k += 256)
    out[blockIdx.x * kTowns * kTowns + k] = way[k / kTowns][k % kTowns];
}

double b(int variant) {
  constexpr int kAll = kIslands * kTowns * kTowns;
  int *roads = mixed<int>(kAll, 1000), *out = filled<int>(kAll, 0);
  VARIANT(variant, ways, <<<kIslands, 256>>>(roads, out));
  return total(out, kAll);
}

// c: where each of 2432 pieces of a film, 16 by 16 pixels, was in the picture before: 256 places
// are tried, in steps of four pixels from west to east.
constexpr int kPieces = 2432, kPiece = 16, kFieldX = 20, kField = kFieldX * 32;

__device__ inline unsigned unlike(unsigned a, unsigned b, unsigned sum) {
#pragma unroll
  for (int k = 0; k < 32; k += 8)
    sum += abs(static_cast<int>(a >> k & 255) - static_cast<int>(b >> k & 255));
  return sum;
}

template <int kVariant>
__global__ __launch_bounds__(256) void moved(const unsigned* __restrict__ now,
                                             const unsigned* __restrict__ before,
                                             unsigned* __restrict__ out) {
  __shared__ unsigned field[kField];
  const unsigned* __restrict__ piece = now + blockIdx.x * kPiece * (kPiece / 4);
  for (int k = threadIdx.x; k < kField; k += 256) field[k] = before[blockIdx.x * kField + k];
  __syncthreads();
  const unsigned* corner = field + threadIdx.x / 16 * kFieldX + threadIdx.x % 16;
  unsigned sum = 0;
#pragma unroll 4
  for (int y = 0; y < kPiece; ++y)
#pragma unroll
    for (int x = 0; x < kPiece / 4; ++x) {
      const unsigned one = piece[y * (kPiece / 4) + x], other = corner[y * kFieldX + x];
      sum = kVariant ? __builtin_amdgcn_sad_u8(one, other, sum) : unlike(one, other, sum);
    }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

double c(int variant) {
  auto* now = mixed<unsigned>(kPieces * kPiece * (kPiece / 4), 1u << 31);
  auto* before = mixed<unsigned>(kPieces * kField, 1u << 31);
  auto* out = filled<unsigned>(kPieces * 256, 0);
  VARIANT(variant, moved, <<<kPieces, 256>>>(now, before, out));
  return total(out, kPieces * 256);
}

// d: what a storm does to a valley, three times: drops run down the slopes, snow slides, the wind
// bends trees and clouds hide the sun. Each adds up what it does in fields of its own.
constexpr int kPlaces = 4096, kStorms = 3;

__global__ __launch_bounds__(256) void drops(const int* __restrict__ slopes,
                                             int* __restrict__ mud) {
  int place = work_item() * 7 % kPlaces, carried = 0;
#pragma unroll 1
  for (int k = 0; k < 60; ++k) {
    const int slope = slopes[place];
    carried += slope >> 10;
    place = slope % kPlaces;
  }
  atomicAdd(mud + place, carried);
}

__global__ __launch_bounds__(512) void slides(const int* __restrict__ slopes,
                                              int* __restrict__ snow) {
  __shared__ int lying[2][512];
  int own = slopes[work_item()] % 512;
#pragma unroll 1
  for (int k = 0; k < 120; ++k) {
    lying[k % 2][threadIdx.x] = own;
    __syncthreads();
    own += (lying[k % 2][threadIdx.x ^ 1 << k % 9] - own) >> 2;
  }
  atomicAdd(snow + work_item(), own);
}

__global__ __launch_bounds__(128) void bends(const int* __restrict__ slopes,
                                             int* __restrict__ broken) {
  float bent = slopes[work_item()] * 0.0001f, swing = 0;
#pragma unroll 1
  for (int k = 0; k < 400; ++k) {
    swing += 0.01f * (3 - bent * bent) - 0.05f * swing;
    bent += 0.1f * swing;
  }
  atomicAdd(broken + work_item(), static_cast<int>(100 * bent));
}

__global__ __launch_bounds__(64) void hides(const int* __restrict__ slopes,
                                            int* __restrict__ dark) {
  float light = 1, deep = slopes[work_item()] % 100 + 1.0f;
#pragma unroll 1
  for (int k = 0; k < 90; ++k) light = sqrtf(light * deep + 2) / (1 + light);
  atomicAdd(dark + work_item(), static_cast<int>(1000 * light));
}

double d(int variant) {
  constexpr int kFields = 4;
  int *slopes = mixed<int>(kPlaces, 1 << 14), *fields = filled<int>(kFields * kPlaces, 0);
  hipStream_t streams[kFields];
  for (auto& stream : streams) HIP_CHECK(hipStreamCreate(&stream));
  const auto cleared = [&](int field) {
    int* own = fields + field * kPlaces;
    hipStream_t stream = variant ? streams[field] : nullptr;
    HIP_CHECK(hipMemsetAsync(own, 0, kPlaces * sizeof(int), stream));
    return own;
  };
  HIP_CHECK(hipDeviceSynchronize());
  for (int storm = 0; storm < kStorms; ++storm) {
    drops<<<kPlaces / 256, 256, 0, streams[0]>>>(slopes, cleared(0));
    slides<<<kPlaces / 512, 512, 0, streams[1]>>>(slopes, cleared(1));
    bends<<<kPlaces / 128, 128, 0, streams[2]>>>(slopes, cleared(2));
    hides<<<kPlaces / 64, 64, 0, streams[3]>>>(slopes, cleared(3));
  }
  HIP_CHECK(hipDeviceSynchronize());
  return total(fields, kFields * kPlaces);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
