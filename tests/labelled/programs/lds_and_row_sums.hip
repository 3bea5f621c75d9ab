#include "program.h"

// a
template <int V>
__global__ void a(int* out, int rounds, int step) {
  __shared__ int records[16 * 128];
  int item = threadIdx.x, next = (item + 1) & 127, sum = 0;
  for (int k = 0; k < 16; ++k) records[V ? k * 128 + item : item * 16 + k] = item + k;
  __syncthreads();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r)
#pragma unroll 4
    for (int k = 0; k < 16; ++k) {
      int field = (k * step + r) & 15;
      sum += records[V ? field * 128 + next : next * 16 + field];
    }
  out[work_item()] = sum;
}

// b
template <int V>
__global__ void b(const int* in, int* out, int n) {
  constexpr int kSteps = 64;
  __shared__ int kept[(V ? 1 : kSteps) * 128];
  int item = threadIdx.x, at = work_item(), sum = 0;
#pragma unroll 1
  for (int k = 0; k < kSteps; ++k) {
    int value = in[at];
    at = (at + 4096 + value) & (n - 1);
    if (V)
      sum += value;
    else
      kept[k * 128 + item] = value;
  }
  if (V) kept[item] = sum;
  __syncthreads();
  int neighbour = item ^ 1, result = 0;
  if (V) {
    result = kept[neighbour];
  } else {
    for (int k = 0; k < kSteps; ++k) result += kept[k * 128 + neighbour];
  }
  out[work_item()] = result;
}

// c
constexpr int kSide = 768, kDepth = 64;

template <int V>
__global__ void c(const float* left, const float* right, float* out) {
  __shared__ float one[kDepth][33], two[kDepth][33];
  int item = threadIdx.x, row = blockIdx.y * 32, column = blockIdx.x * 32;
  for (int k = item; k < kDepth * 32; k += 256) {
    one[k / 32][k % 32] = left[k / 32 * kSide + row + k % 32];
    two[k / 32][k % 32] = right[k / 32 * kSide + column + k % 32];
  }
  __syncthreads();
  int y = item / 16 * 2, x = item % 16 * 2;
  if (V) {
    float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
#pragma unroll 4
    for (int k = 0; k < kDepth; ++k) {
      float a0 = one[k][y], a1 = one[k][y + 1], b0 = two[k][x], b1 = two[k][x + 1];
      s00 += a0 * b0, s01 += a0 * b1, s10 += a1 * b0, s11 += a1 * b1;
    }
    out[(row + y) * kSide + column + x] = s00;
    out[(row + y) * kSide + column + x + 1] = s01;
    out[(row + y + 1) * kSide + column + x] = s10;
    out[(row + y + 1) * kSide + column + x + 1] = s11;
  } else {
#pragma unroll 1
    for (int part = 0; part < 4; ++part) {
      int py = part / 2 + y, px = part % 2 + x;
      float sum = 0;
#pragma unroll 4
      for (int k = 0; k < kDepth; ++k) sum += one[k][py] * two[k][px];
      out[(row + py) * kSide + column + px] = sum;
    }
  }
}

// d
template <int V>
__global__ void d(const int* in, int* out) {
  constexpr int kRows = 32, kWidth = 512;
  __shared__ int sums[kWidth];
  int item = threadIdx.x;
  const int* rows = in + blockIdx.x * kRows * kWidth;
  if (V) {
    for (int row = item / 64; row < kRows; row += kWidth / 64) {
      int sum = 0;
      for (int k = item % 64; k < kWidth; k += 64) sum += rows[row * kWidth + k];
      for (int far = 32; far; far /= 2) sum += __shfl_down(sum, far);
      if (item % 64 == 0) out[blockIdx.x * kRows + row] = sum;
    }
  } else {
    for (int row = 0; row < kRows; ++row) {
      sums[item] = rows[row * kWidth + item];
      __syncthreads();
      for (int far = kWidth / 2; far; far /= 2) {
        if (item < far) sums[item] += sums[item + far];
        __syncthreads();
      }
      if (item == 0) out[blockIdx.x * kRows + row] = sums[0];
      __syncthreads();
    }
  }
}

double run(char pair, int variant) {
  constexpr int large = 1 << 23;
  if (pair == 'c') {
    float* left = filled<float>(kSide * kDepth, 0x3c);
    float* right = filled<float>(kSide * kDepth, 0x3f);
    float* out = filled<float>(kSide * kSide, 0);
    VARIANT(variant, c, <<<dim3(kSide / 32, kSide / 32), 256>>>(left, right, out));
    return total(out, kSide * kSide);
  }
  int* in = filled<int>(large, 1);
  int* out = filled<int>(1 << 18, 0);
  if (pair == 'a') VARIANT(variant, a, <<<1216, 128>>>(out, 32, 5));
  if (pair == 'b') VARIANT(variant, b, <<<1216, 128>>>(in, out, large));
  if (pair == 'd') VARIANT(variant, d, <<<304, 512>>>(in, out));
  return total(out, 1 << 18);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
