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
  const float away = sqrtf(apart(own, x, y, z) + 0.25f), fall = expf(-away * 0.125f);
  const float pull = fall * (1 + sinf(away) * 0.25f) / (away + logf(away + 1));
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

// c: a needle thrown 2048 times on each of 77824 floors of boards; how often it lies across two.
constexpr int kFloors = 304 * 256, kThrows = 2048;
constexpr unsigned kTimes = 1664525u, kMore = 1013904223u;

// What comes `steps` steps later is found like the next, with other numbers.
struct Leap {
  unsigned times, more;
};

constexpr Leap leap(int steps) {
  Leap whole = {1, 0};
  for (int k = 0; k < steps; ++k) whole = {whole.times * kTimes, whole.more * kTimes + kMore};
  return whole;
}

template <int kChains>
__global__ __launch_bounds__(256) void throw_needles(const unsigned* __restrict__ seeds,
                                                     int* __restrict__ out) {
  constexpr Leap kLeap = leap(kChains);
  unsigned chances[kChains], across = 0;
  chances[0] = seeds[work_item()];
#pragma unroll
  for (int k = 1; k < kChains; ++k) chances[k] = chances[k - 1] * kTimes + kMore;
#pragma unroll 1
  for (int time = 0; time < kThrows; time += 8) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      unsigned& chance = chances[k % kChains];
      across += chance >> 31;
      chance = chance * kLeap.times + kLeap.more;
    }
  }
  out[work_item()] = across;
}

double c(int variant) {
  auto* seeds = mixed<unsigned>(kFloors, 4294967291u);
  int* out = filled<int>(kFloors, 0);
  if (variant) throw_needles<8><<<kFloors / 256, 256>>>(seeds, out);
  else throw_needles<1><<<kFloors / 256, 256>>>(seeds, out);
  return total(out, kFloors);
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
