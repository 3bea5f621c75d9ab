#include "data.h"

// a: the largest eigenvalue by 30 products and divisions by a length. Mended: the length is read by
// the next kernel where it is, instead of by the host, which passes it on.
constexpr int kOrder = 1 << 12;

__global__ void apply(const float* x, float* y) {
  const int i = work_item();
  y[i] = 3 * x[i] + x[(i + 1) % kOrder] + x[(i + kOrder - 1) % kOrder] * (i & 3);
}

__global__ __launch_bounds__(1024) void largest(const float* y, float* length) {
  __shared__ float waves[16];
  float most = 0;
  for (int k = threadIdx.x; k < kOrder; k += 1024) most = fmaxf(most, fabsf(y[k]));
  for (int step = 32; step > 0; step /= 2) most = fmaxf(most, __shfl_xor(most, step));
  if (threadIdx.x % 64 == 0) waves[threadIdx.x / 64] = most;
  __syncthreads();
  if (threadIdx.x) return;
  for (int wave = 1; wave < 16; ++wave) most = fmaxf(most, waves[wave]);
  *length = most;
}

__global__ void shorten(const float* y, float* x, float by) {
  x[work_item()] = y[work_item()] / by;
}

__global__ void shorten_by(const float* y, float* x, const float* by) {
  x[work_item()] = y[work_item()] / *by;
}

double a(int variant) {
  float* x = mixed<float>(kOrder, 16);
  float* y = filled<float>(kOrder, 0);
  float* length = filled<float>(1, 0);
  for (int turn = 0; turn < 30; ++turn) {
    apply<<<kOrder / 256, 256>>>(x, y);
    largest<<<1, 1024>>>(y, length);
    if (variant) {
      shorten_by<<<kOrder / 256, 256>>>(y, x, length);
    } else {
      float by = 0;
      HIP_CHECK(hipMemcpy(&by, length, sizeof(float), hipMemcpyDeviceToHost));
      shorten<<<kOrder / 256, 256>>>(y, x, by);
    }
  }
  return total(x, kOrder);
}

// b: 128 small counts of what is met along a walk. Mended: four counts in a register.
constexpr int kCounts = 128, kWalkers = 304 * 2048, kPlaces = 1 << 14, kHops = 16, kTurns = 4;

__global__ void prepare_places(int* places) {
  places[work_item()] = hashed(work_item() / 64 + 5) % kPlaces;
}

__global__ __launch_bounds__(256) void count_wide(const int* places, int* out) {
  int place = work_item() / 64 % kPlaces, counts[kCounts] = {}, sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll
    for (int hop = 0; hop < kHops; ++hop) {
      place = places[place * 64 + threadIdx.x % 64];
#pragma unroll
      for (int k = 0; k < 8; ++k) counts[hop * 8 + k] += place >> k & 1;
    }
  }
#pragma unroll
  for (int k = 0; k < kCounts; ++k) sum += counts[k] * counts[k] * (k + 1);
  out[work_item()] = sum;
}

__global__ __launch_bounds__(256) void count_packed(const int* places, int* out) {
  int place = work_item() / 64 % kPlaces, counts[kCounts / 4] = {}, sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll
    for (int hop = 0; hop < kHops; ++hop) {
      place = places[place * 64 + threadIdx.x % 64];
#pragma unroll
      for (int k = 0; k < 2; ++k)  // four bits to four bytes
        counts[hop * 2 + k] += (place >> 4 * k & 15) * 0x204081 & 0x1010101;
    }
  }
#pragma unroll
  for (int k = 0; k < kCounts; ++k) {
    const int count = counts[k / 4] >> 8 * (k % 4) & 255;
    sum += count * count * (k + 1);
  }
  out[work_item()] = sum;
}

double b(int variant) {
  int* places = filled<int>(kPlaces * 64, 0);
  prepare_places<<<kPlaces * 64 / 256, 256>>>(places);
  int* out = filled<int>(kWalkers, 0);
  if (variant) count_packed<<<kWalkers / 256, 256>>>(places, out);
  else count_wide<<<kWalkers / 256, 256>>>(places, out);
  return total(out, kWalkers);
}

// c: rows of 32 numbers made even by their neighbours in turn, from a GPU whose waves are of 32.
// Mended: 8 rows in a workgroup of 256.
constexpr int kLines = 304 * 64;

__global__ void even_out(const int* in, int* out) {
  int value = in[work_item()];
  for (int turn = 0; turn < 40; ++turn) {
    int sum = value;
    for (int k = 0; k < 6; ++k) sum = sum * 5 + (sum >> 3 ^ turn * k);
    value = (sum >> 4) + __shfl_xor(value, 1 << turn % 5, 32);
  }
  out[work_item()] = value >> 16;
}

double c(int variant) {
  int* in = mixed<int>(kLines * 32, 1 << 20);
  int* out = filled<int>(kLines * 32, 0);
  const int size = variant ? 256 : 32;
  even_out<<<kLines * 32 / size, size>>>(in, out);
  return total(out, kLines * 32);
}

// d: a wave through rock. Mended: a number of the kind of rock is read and what it means is
// computed, instead of four numbers for each cell.
constexpr int kCells = 1 << 21;

__device__ float damping(int rock) { return (64 - rock) * 0.015625f; }
__device__ float speed(int rock) { return rock * 0.25f + 1; }
__device__ float tension(int rock) { return rock * 0.125f; }
__device__ float pull(int rock) { return 8.0f - rock; }

__device__ float step(const float* field, int i, float damp, float fast, float tense,
                      float pulled) {
  return field[i] * damp + field[(i + 1) % kCells] * fast + tense * pulled;
}

__global__ void prepare_rock(const unsigned char* rocks, float* known, int row) {
  const int rock = rocks[work_item()];
  const float all[4] = {damping(rock), speed(rock), tension(rock), pull(rock)};
  known[row * kCells + work_item()] = all[row];
}

__global__ void shake_read(const float* field, const float* known, float* next) {
  const int i = work_item();
  next[i] =
      step(field, i, known[i], known[kCells + i], known[2 * kCells + i], known[3 * kCells + i]);
}

__global__ void shake_compute(const float* field, const unsigned char* rocks, float* next) {
  const int i = work_item(), rock = rocks[i];
  next[i] = step(field, i, damping(rock), speed(rock), tension(rock), pull(rock));
}

double d(int variant) {
  auto* rocks = mixed<unsigned char>(kCells, 32);
  auto* known = filled<float>(variant ? 4 : 4 * static_cast<size_t>(kCells), 0);
  for (int row = 0; row < 4 && !variant; ++row)
    prepare_rock<<<kCells / 256, 256>>>(rocks, known, row);
  float* field = mixed<float>(kCells, 64);
  float* next = filled<float>(kCells, 0);
  if (variant) shake_compute<<<kCells / 256, 256>>>(field, rocks, next);
  else shake_read<<<kCells / 256, 256>>>(field, known, next);
  return total(next, kCells);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
