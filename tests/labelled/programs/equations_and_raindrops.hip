#include "data.h"

// a: 77824 small systems of eight equations, symmetric, each solved by a work-item.
constexpr int kSystems = 304 * 256, kOrder = 8, kEntries = kOrder * (kOrder + 1) / 2;

__device__ int entry(int row, int column) { return row * (row + 1) / 2 + column; }

// The order is a constant where this is put in by a caller who knows it.
__device__ __attribute__((always_inline)) float solved(float* m, float* x, int order) {
  for (int j = 0; j < order; ++j) {
    float left = m[entry(j, j)];
    for (int k = 0; k < j; ++k) left -= m[entry(j, k)] * m[entry(j, k)];
    const float by = rsqrtf(left);
    m[entry(j, j)] = by;
    for (int i = j + 1; i < order; ++i) {
      float sum = m[entry(i, j)];
      for (int k = 0; k < j; ++k) sum -= m[entry(i, k)] * m[entry(j, k)];
      m[entry(i, j)] = sum * by;
    }
  }
  for (int j = 0; j < order; ++j) {
    for (int k = 0; k < j; ++k) x[j] -= m[entry(j, k)] * x[k];
    x[j] *= m[entry(j, j)];
  }
  float sum = 0;
  for (int j = order - 1; j >= 0; --j) {
    for (int k = j + 1; k < order; ++k) x[j] -= m[entry(k, j)] * x[k];
    x[j] *= m[entry(j, j)];
    sum += x[j];
  }
  return sum;
}

template <int kVariant>
__global__ __launch_bounds__(256) void solve(const float* __restrict__ systems,
                                             float* __restrict__ out, int order) {
  float m[kEntries], x[kOrder];
#pragma unroll
  for (int row = 0; row < kOrder; ++row) {
#pragma unroll
    for (int column = 0; column <= row; ++column)
      m[entry(row, column)] = systems[entry(row, column) * kSystems + work_item()] +
                              (row == column ? 512.0f : 0.0f);
    x[row] = systems[row * kSystems + work_item()] + 1;
  }
  out[work_item()] = kVariant ? solved(m, x, kOrder) : solved(m, x, order);
}

double a(int variant) {
  float* systems = mixed<float>(kEntries * kSystems, 32);
  float* out = filled<float>(kSystems, 0);
  VARIANT(variant, solve, <<<kSystems / 256, 256>>>(systems, out, kOrder));
  return total(out, kSystems);
}

// b: drops of rain in 608 boxes; those near one another are drawn together, the others are not.
constexpr int kBoxes = 608, kDrops = 256, kOthers = 64;

struct Drop {
  float x, y, z, speed;
};

__device__ float apart(const Drop& own, float x, float y, float z) {
  return (own.x - x) * (own.x - x) + (own.y - y) * (own.y - y) + (own.z - z) * (own.z - z);
}

__device__ void draw(Drop& own, float x, float y, float z) {
  const float away = 0.0025f * apart(own, x, y, z);
  float pull = 1;
#pragma unroll
  for (int k = 48; k > 0; --k) pull = pull * away + (k % 4 == 1 ? -1.0f : 0.5f) / k;
  own.speed += pull * fabsf(own.x + own.y + own.z - x - y - z);
}

template <int kVariant>
__global__ __launch_bounds__(kDrops) void draw_near(const float* __restrict__ places,
                                                    float* __restrict__ out) {
  __shared__ float x[kOthers], y[kOthers], z[kOthers];
  const float* box = places + blockIdx.x * kDrops * 3;
  const int t = threadIdx.x;
  Drop own = {box[t], box[t + kDrops], box[t + 2 * kDrops], 0};
  if (t < kOthers) x[t] = own.x + 0.5f, y[t] = own.y + 0.5f, z[t] = own.z + 0.5f;
  __syncthreads();
  if (kVariant) {
    unsigned long long near = 0;
#pragma unroll 8
    for (int k = 0; k < kOthers; ++k)
      near |= static_cast<unsigned long long>(apart(own, x[k], y[k], z[k]) < 400) << k;
#pragma unroll 1
    for (; near; near &= near - 1) {
      const int k = __ffsll(near) - 1;
      draw(own, x[k], y[k], z[k]);
    }
  } else {
#pragma unroll 1
    for (int k = 0; k < kOthers; ++k)
      if (apart(own, x[k], y[k], z[k]) < 400) draw(own, x[k], y[k], z[k]);
  }
  out[blockIdx.x * kDrops + t] = own.speed;
}

double b(int variant) {
  float* places = mixed<float>(kBoxes * kDrops * 3, 64);
  float* out = filled<float>(kBoxes * kDrops, 0);
  VARIANT(variant, draw_near, <<<kBoxes, kDrops>>>(places, out));
  return total(out, kBoxes * kDrops);
}

// c: 1216 sets of 24 vectors of 64 numbers, made triangular by reflections; a wave has a set.
constexpr int kSets = 1216, kVectors = 24, kAtOnce = 8, kRoom = kVectors + kAtOnce;
using Vectors = float (*)[64];

__device__ float across_wave(float value) {
#pragma unroll
  for (int step = 32; step > 0; step /= 2) value += __shfl_xor(value, step);
  return value;
}

__device__ void reflect_one_by_one(Vectors own, int first, float mirror, float by, int lane) {
#pragma unroll 1
  for (int j = first; j < kVectors; ++j)
    own[j][lane] -= by * across_wave(mirror * own[j][lane]) * mirror;
}

__device__ void reflect_together(Vectors own, int first, float mirror, float by, int lane) {
#pragma unroll 1
  for (int j = first; j < kVectors; j += kAtOnce) {
    float parts[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) parts[k] = mirror * own[j + k][lane];
#pragma unroll
    for (int step = 32; step > 0; step /= 2) {
      float others[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) others[k] = __shfl_xor(parts[k], step);
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) parts[k] += others[k];
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) own[j + k][lane] -= by * parts[k] * mirror;
  }
}

template <int kVariant>
__global__ __launch_bounds__(64) void reflect(const float* __restrict__ sets,
                                              float* __restrict__ out) {
  __shared__ float own[kRoom][64];
  const int lane = threadIdx.x;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) own[k][lane] = sets[(blockIdx.x * kVectors + k) * 64 + lane];
  float diagonal = 0;
#pragma unroll 1
  for (int k = 0; k < kVectors; ++k) {
    const float value = lane >= k ? own[k][lane] : 0, size = sqrtf(across_wave(value * value));
    const float mirror = lane == k ? value + size : value;
    const float by = 2 / (across_wave(mirror * mirror) + 1);
    diagonal += lane == k ? size : 0;
    if (kVariant) reflect_together(own, k + 1, mirror, by, lane);
    else reflect_one_by_one(own, k + 1, mirror, by, lane);
  }
  out[work_item()] = diagonal;
}

double c(int variant) {
  float* sets = mixed<float>(kSets * kVectors * 64, 64);
  float* out = filled<float>(kSets * 64, 0);
  VARIANT(variant, reflect, <<<kSets, 64>>>(sets, out));
  return total(out, kSets * 64);
}

// d: from which of 12 countries pages of a newspaper were asked for.
constexpr int kAsked = 1 << 15, kCountries = 12;

template <int kVariant>
__global__ __launch_bounds__(256) void count_asked(const unsigned* __restrict__ addresses,
                                                   int* __restrict__ counts) {
  const unsigned address = addresses[work_item()];
  const int country = (address ^ address >> 7) % kCountries;
  if (!kVariant) {
    atomicAdd(counts + country, 1);
    return;
  }
  __shared__ int waves[4][kCountries];
  int own = 0;
#pragma unroll
  for (int k = 0; k < kCountries; ++k) {
    const int alike = __popcll(__ballot(country == k));
    own = threadIdx.x % 64 == k ? alike : own;
  }
  if (threadIdx.x % 64 < kCountries) waves[threadIdx.x / 64][threadIdx.x % 64] = own;
  __syncthreads();
  const int k = threadIdx.x;
  if (k < kCountries) atomicAdd(counts + k, waves[0][k] + waves[1][k] + waves[2][k] + waves[3][k]);
}

double d(int variant) {
  auto* addresses = mixed<unsigned>(kAsked, 4294967291u);
  int* counts = filled<int>(16, 0);
  VARIANT(variant, count_asked, <<<kAsked / 256, 256>>>(addresses, counts));
  double weighed = 0;
  std::vector<int> host(16);
  HIP_CHECK(hipMemcpy(host.data(), counts, sizeof(int) * 16, hipMemcpyDeviceToHost));
  for (int k = 0; k < 16; ++k) weighed += host[k] * (k + 1.0);
  return weighed;
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
