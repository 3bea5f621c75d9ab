#include "data.h"

// a: spread and skew of 32768 values in each of 608 rows.
constexpr int kRows = 608, kRow = 32768, kFours = kRow / 4;

template <typename Term>
__device__ long sum_row(const int4* row, Term term) {
  __shared__ long parts[4];
  int own = 0;
#pragma unroll 8
  for (int k = threadIdx.x; k < kFours; k += 256) {
    const int4 four = row[k];
    own += term(four.x) + term(four.y) + term(four.z) + term(four.w);
  }
  long sum = own;
  for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  if (threadIdx.x % 64 == 0) parts[threadIdx.x / 64] = sum;
  __syncthreads();
  sum = parts[0] + parts[1] + parts[2] + parts[3];
  __syncthreads();
  return sum;
}

__global__ __launch_bounds__(256) void rate(const int4* rows, long* out) {
  const int4* row = rows + blockIdx.x * kFours;
  const int mean = sum_row(row, [](int x) { return x; }) / kRow;
  const long spread = sum_row(row, [=](int x) { return __mul24(x - mean, x - mean); });
  const long skew =
      sum_row(row, [=](int x) { return __mul24(__mul24(x - mean, x - mean), x - mean); });
  if (threadIdx.x == 0) out[blockIdx.x] = spread * 4 + skew;
}

__global__ __launch_bounds__(256) void rate_once(const int4* rows, long* out) {
  __shared__ long parts[3][4];
  const int4* row = rows + blockIdx.x * kFours;
  int own[3] = {};
#pragma unroll 8
  for (int k = threadIdx.x; k < kFours; k += 256) {
    const int4 four = row[k];
    const int values[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int x : values) {
      const int square = __mul24(x, x);
      own[0] += x;
      own[1] += square;
      own[2] += __mul24(square, x);
    }
  }
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    long sum = own[k];
    for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
    if (threadIdx.x % 64 == 0) parts[k][threadIdx.x / 64] = sum;
  }
  __syncthreads();
  if (threadIdx.x) return;
  long p[3];
  for (int k = 0; k < 3; ++k) p[k] = parts[k][0] + parts[k][1] + parts[k][2] + parts[k][3];
  const long m = p[0] / kRow;
  const long spread = p[1] - 2 * m * p[0] + kRow * m * m;
  out[blockIdx.x] = spread * 4 + p[2] - 3 * m * p[1] + 3 * m * m * p[0] - kRow * m * m * m;
}

double a(int variant) {
  auto* rows = reinterpret_cast<int4*>(mixed<int>(kRows * kRow, 64));
  long* out = filled<long>(kRows, 0);
  if (variant) rate_once<<<kRows, 256>>>(rows, out);
  else rate<<<kRows, 256>>>(rows, out);
  return total(out, kRows);
}

// b: 16 copies of a chain of 64 spins in each workgroup. In a step a copy tries until it has a
// change that is taken, and then all its spins look at their neighbours.
constexpr int kCopies = 16, kGroups = 304, kSteps = 64;

template <int kVariant>
__device__ void in_order() {
  if (kVariant) {
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
  } else {
    __syncthreads();
  }
}

template <int kVariant>
__global__ __launch_bounds__(1024) void anneal(int* out) {
  __shared__ int spins[kCopies][64];
  const int lane = threadIdx.x % 64, copy = threadIdx.x / 64;
  const int number = blockIdx.x * kCopies + __builtin_amdgcn_readfirstlane(copy);
  int own = work_item() & 1023;
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    const int tries = 1 + 4 * __builtin_ctz(hashed(number * kSteps + step) | 64);
#pragma unroll 1
    for (int k = 0; k < tries; ++k)
      own = (own * 5 + (own >> 3) + (own ^ k) * 3 + (own >> 5 & 7)) & 0xfffff;
    spins[copy][lane] = own;
    in_order<kVariant>();
    own += spins[copy][(lane + 1) % 64] + 2 * spins[copy][(lane + 63) % 64];
    in_order<kVariant>();
  }
  out[work_item()] = own & 0xfff;
}

double b(int variant) {
  int* out = filled<int>(kGroups * 1024, 0);
  VARIANT(variant, anneal, <<<kGroups, 1024>>>(out));
  return total(out, kGroups * 1024);
}

// c: each of 64 colours of a picture filtered on its own; the colours of a pixel lie together.
constexpr int kColours = 64, kAcross = 128, kDown = 126, kPixels = kAcross * kDown;

template <int kVariant>
__global__ __launch_bounds__(256) void sharpen(const float* picture, const float* weights,
                                               float* out) {
  const int item = blockIdx.x * 256 + threadIdx.x;
  const int colour = kVariant ? item % kColours : blockIdx.y;
  const int pixel = kVariant ? item / kColours : item;
  const int x = pixel % kAcross, left = pixel - x + (x + kAcross - 1) % kAcross;
  const int right = pixel - x + (x + 1) % kAcross;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const float* row = picture + k * kAcross * kColours + colour;
    const float* weight = weights + k * 3 * kColours + colour;
    sum += row[left * kColours] * weight[0] + row[pixel * kColours] * weight[kColours] +
           row[right * kColours] * weight[2 * kColours];
  }
  out[pixel * kColours + colour] = sum;
}

double c(int variant) {
  float* picture = mixed<float>((kPixels + 2 * kAcross) * kColours, 64);
  float* weights = mixed<float>(3 * 256, 16);
  float* out = filled<float>(kPixels * kColours, 0);
  const dim3 grid = variant ? dim3(kPixels * kColours / 256) : dim3(kPixels / 256, kColours);
  VARIANT(variant, sharpen, <<<grid, 256>>>(picture, weights, out));
  return total(out, kPixels * kColours);
}

// d: sums of what is let through of 64 numbers each: all if large, nothing if small, and smoothly
// in between.
constexpr int kUnits = 304 * 512, kInputs = 64;

template <typename Real>
__global__ void activate(const Real* units, const Real* weights, int* out) {
  const Real unit = units[work_item()] / 256 - 2;
  int sum = 0;
  for (int k = 0; k < kInputs; ++k) {
    const Real x = unit * (weights[k] / 512 + Real(0.125));
    const Real inner = Real(0.7978845608028654) * (x + Real(0.044715) * x * x * x);
    sum += static_cast<int>(512 * x * (1 + tanh(inner)));
  }
  out[work_item()] = sum + (1 << 18);
}

double d(int variant) {
  int* out = filled<int>(kUnits, 0);
  if (variant)
    activate<<<kUnits / 256, 256>>>(mixed<float>(kUnits, 1024), mixed<float>(256, 999), out);
  else activate<<<kUnits / 256, 256>>>(mixed<double>(kUnits, 1024), mixed<double>(256, 999), out);
  return total(out, kUnits);
}

double run(char pair, int variant) {
  if (pair == 'a') return a(variant);
  if (pair == 'b') return b(variant);
  if (pair == 'c') return c(variant);
  return d(variant);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
