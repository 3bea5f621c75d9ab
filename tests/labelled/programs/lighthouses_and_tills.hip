#include "data.h"

// a: in which directions 40 lighthouses are seen from ships.
constexpr int kShips = 304 * 512, kLights = 40;

template <typename Real>
__global__ __launch_bounds__(256) void bearings(const Real* __restrict__ ships,
                                                const Real* __restrict__ lights,
                                                int* __restrict__ out) {
  const Real x = ships[work_item()] - 511, y = ships[kShips + work_item()] - 511;
  int sum = 0;
#pragma unroll 2
  for (int k = 0; k < kLights; ++k)
    sum += static_cast<int>(4096 * (atan2(lights[k] - y, lights[kLights + k] - x) + Real(3.2)));
  out[work_item()] = sum;
}

double a(int variant) {
  int* out = filled<int>(kShips, 0);
  if (variant)
    bearings<<<kShips / 256, 256>>>(mixed<float>(2 * kShips, 1024), mixed<float>(256, 999), out);
  else
    bearings<<<kShips / 256, 256>>>(mixed<double>(2 * kShips, 1024), mixed<double>(256, 999), out);
  return total(out, kShips);
}

// b: water in the ground at 77824 places, day by day until the record of the place ends.
constexpr int kFields = 304 * 256, kDays = 96, kAhead = 8;

__global__ void prepare_rain(int* rain) {
  const unsigned i = work_item(), day = i / kFields, end = 70 + hashed(i % kFields / 64) % 20;
  rain[i] = day < end ? static_cast<int>(hashed(i) % 64) : -1;
}

__device__ int next_day(int water, int rain) {
  const int left = water - (water >> 4) + rain;
  return left > 700 ? 700 - (left >> 6) : left;
}

__global__ __launch_bounds__(256) void soak(const int* __restrict__ rain, int* __restrict__ out) {
  int water = 100;
  for (const int* day = rain + work_item(); *day >= 0; day += kFields)
    water = next_day(water, *day);
  out[work_item()] = water;
}

__global__ __launch_bounds__(256) void soak_eight(const int* __restrict__ rain,
                                                  int* __restrict__ out) {
  const int* day = rain + work_item();
  int water = 100, fallen[kAhead];
  do {
#pragma unroll
    for (int k = 0; k < kAhead; ++k) fallen[k] = day[k * kFields];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) water = fallen[k] >= 0 ? next_day(water, fallen[k]) : water;
    day += kAhead * kFields;
  } while (fallen[kAhead - 1] >= 0);
  out[work_item()] = water;
}

double b(int variant) {
  int* rain = filled<int>(kFields * kDays, 0);
  prepare_rain<<<kFields * kDays / 256, 256>>>(rain);
  int* out = filled<int>(kFields, 0);
  if (variant) soak_eight<<<kFields / 256, 256>>>(rain, out);
  else soak<<<kFields / 256, 256>>>(rain, out);
  return total(out, kFields);
}

// c: how long people wait at tills, for 24 plans of a shop, from 16384 days of 24 customers each.
constexpr int kPlans = 24, kDaysTried = 16384, kCustomers = 24, kShares = 32;

__device__ int waited(unsigned chance, int pace) {
  int busy = 0, waits = 0;
#pragma unroll 2
  for (int k = 0; k < kCustomers; ++k) {
    chance = chance * 1664525u + 1013904223u;
    const int gap = chance >> 27, needs = (chance >> 12 & 31) * pace >> 3;
    busy = max(busy - gap, 0);
    waits += busy;
    busy += needs;
  }
  return waits;
}

__global__ __launch_bounds__(256) void queue(const int* __restrict__ paces, int* __restrict__ out,
                                             int days) {
  const int pace = paces[blockIdx.x] + 4, first = blockIdx.y * days;
  int sum = 0;
#pragma unroll 1
  for (int day = threadIdx.x; day < days; day += 256) sum += waited(hashed(first + day), pace);
  out[(blockIdx.x * gridDim.y + blockIdx.y) * 256 + threadIdx.x] = sum;
}

double c(int variant) {
  int* paces = mixed<int>(256, 8);
  const int shares = variant ? kShares : 1, count = kPlans * shares * 256;
  int* out = filled<int>(count, 0);
  queue<<<dim3(kPlans, shares), 256>>>(paces, out, kDaysTried / shares);
  return total(out, count);
}

// d: one mark for 65536 pieces of a file, by marking pairs of marks until one is left.
constexpr int kLeaves = 1 << 16, kSubtree = 512;

__device__ unsigned marked(unsigned left, unsigned right) {
  unsigned mark = left * 31 + right;
#pragma unroll
  for (int round = 0; round < 4; ++round) mark = hashed(mark + round);
  return mark & 0xffffff;
}

__global__ void mark_level(const unsigned* __restrict__ below, unsigned* __restrict__ above,
                           int count) {
  const int i = work_item();
  if (i < count) above[i] = marked(below[2 * i], below[2 * i + 1]);
}

__global__ __launch_bounds__(256) void mark_subtree(const unsigned* __restrict__ leaves,
                                                    unsigned* __restrict__ roots, int count) {
  __shared__ unsigned marks[kSubtree];
  for (int k = threadIdx.x; k < count; k += 256) marks[k] = leaves[blockIdx.x * count + k];
  __syncthreads();
  for (int left = count / 2; left > 0; left /= 2) {
    const int i = threadIdx.x;
    const unsigned mark = i < left ? marked(marks[2 * i], marks[2 * i + 1]) : 0;
    __syncthreads();
    if (i < left) marks[i] = mark;
    __syncthreads();
  }
  if (threadIdx.x == 0) roots[blockIdx.x] = marks[0];
}

double d(int variant) {
  auto* below = mixed<unsigned>(kLeaves, 1 << 24);
  auto* above = filled<unsigned>(kLeaves, 0);
  HIP_CHECK(hipDeviceSynchronize());
  if (variant) {
    mark_subtree<<<kLeaves / kSubtree, 256>>>(below, above, kSubtree);
    mark_subtree<<<1, 256>>>(above, above, kLeaves / kSubtree);
    return total(above, 1);
  }
  for (int count = kLeaves / 2; count > 0; count /= 2) {
    mark_level<<<(count + 255) / 256, 256>>>(below, above, count);
    std::swap(below, above);
  }
  return total(below, 1);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
