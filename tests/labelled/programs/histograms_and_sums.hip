#include "program.h"

__device__ unsigned mixed(unsigned value) {
  value = (value ^ value >> 15) * 0x2c1b3c6du;
  return value ^ value >> 12;
}

// a
template <int V>
__global__ void a(int* out, int count) {
  constexpr int kBins = 64;
  int item = threadIdx.x, sum = 0;
  if (V) {
    __shared__ unsigned char bins[kBins * 128];
    for (int k = 0; k < kBins; ++k) bins[k * 128 + item] = 0;
    for (int k = 0; k < count; ++k) ++bins[(mixed(work_item() + k) & (kBins - 1)) * 128 + item];
    for (int k = 0; k < kBins; ++k) sum += bins[k * 128 + item] * k;
  } else {
    int bins[kBins] = {};
    for (int k = 0; k < count; ++k) ++bins[mixed(work_item() + k) & (kBins - 1)];
    for (int k = 0; k < kBins; ++k) sum += bins[k] * k;
  }
  out[work_item()] = sum;
}

// b
__global__ void b(const int* in, int* out, int n) {
  __shared__ int sums[16];
  int sum = 0;
  for (int at = work_item(); at < n; at += gridDim.x * blockDim.x) sum += in[at] & 255;
  for (int far = 32; far; far /= 2) sum += __shfl_down(sum, far);
  if (threadIdx.x % 64 == 0) sums[threadIdx.x / 64] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned k = 1; k < blockDim.x / 64; ++k) sum += sums[k];
    atomicAdd(out, sum);
  }
}

// c
__device__ int worked(unsigned seed, int begin, int end) {
  int sum = 0;
#pragma unroll 1
  for (int k = begin; k < end; ++k) sum += mixed(seed + k * 256) & 15;
  return sum;
}

template <int V>
__global__ void c(int* out, int each) {
  int row = blockIdx.x, other = gridDim.x - 1 - row, sum;
  unsigned item = threadIdx.x;
  if (V) {
    sum = worked(row * 977 + item, 0, row * each / 2);
    sum += worked(other * 977 + item, other * each / 2, other * each);
  } else {
    sum = worked(row * 977 + item, 0, row * each);
  }
  out[work_item()] = sum;
}

// d
template <int V>
__global__ void d(int* out, int rounds) {
  constexpr int kItems = V ? 256 : 1024, kKept = 9 * kItems;
  __shared__ int kept[kKept];
  int item = threadIdx.x, sum = 0;
  for (int k = 0; k < 9; ++k) kept[k * kItems + item] = mixed(work_item() * 9 + k) & 63;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) sum += mixed(kept[sum % 9 * kItems + item] + r) & 7;
  out[work_item()] = sum;
}

double run(char pair, int variant) {
  constexpr int large = 1 << 18, most = 1344 * 256;
  int* in = filled<int>(large, 1);
  int* out = filled<int>(most, 0);
  if (pair == 'a') VARIANT(variant, a, <<<1024, 128>>>(out, 96));
  if (pair == 'b') b<<<variant ? 256 : 1, 1024>>>(in, out, large);
  if (pair == 'c') VARIANT(variant, c, <<<608, 256>>>(out, 1));
  if (pair == 'd') VARIANT(variant, d, <<<variant ? 1344 : 336, variant ? 256 : 1024>>>(out, 64));
  return total(out, most);
}

int main(int argc, char** argv) { return chosen(argc, argv, run); }
