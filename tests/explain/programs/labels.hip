// One kernel for each bottleneck that the examples do not show.
#include "../../../examples/bottlenecks/example.h"

constexpr int kSteps = 16;

__global__ void compute(float* out) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int i = 0; i < 320; ++i) {
    a = a * 0.5f + 1.0f, b = b * 0.25f + 2.0f;
    c = c * 0.75f + 3.0f, d = d * 0.125f + 4.0f;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

// Every load needs the result of the one before it.
__global__ void latency(const int* next, int* out) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < kSteps; ++i) at = next[at % (1 << 20)] + at + 65536;
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// Its LDS lets one wave onto a compute unit, with nobody to work while it waits.
__global__ void one_wave(const int* in, int* out) {
  __shared__ int tile[16384];
  tile[threadIdx.x] = in[(blockIdx.x * 64 + threadIdx.x) * 16 % (1 << 20)];
  __syncthreads();
  int at = tile[63 - threadIdx.x];
  for (int i = 0; i < kSteps; ++i) at = in[(at + i * 4096) % (1 << 20)] + at + threadIdx.x;
  out[blockIdx.x * 64 + threadIdx.x] = at;
}

__global__ void atomics(unsigned* bins, unsigned* out) {
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i) sum += atomicAdd(&bins[(threadIdx.x + i) % 16], 1u);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Work-item 5 has a thousand times the work of the others.
__global__ void long_row(const int* in, int* out) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  int length = row == 5 ? 1000 : 1;
  for (int i = 0; i < length; ++i) sum += in[(row + 64 * i + sum) % (1 << 20)];
  out[row] = sum;
}

// A single lane that follows a list.
__global__ void chase(const int* next, int* out) {
  int at = 0;
  for (int i = 0; i < 100; ++i) at = next[at] + 1024 * (i + 1);
  *out = at;
}

int main() {
  int *zeros = device_array<int>(1 << 20), *out = device_array<int>(1 << 20);
  HIP_CHECK(hipMemset(zeros, 0, sizeof(int) << 20));
  compute<<<1216, 256>>>(reinterpret_cast<float*>(out));
  latency<<<608, 64>>>(zeros, out);
  one_wave<<<608, 64>>>(zeros, out);
  long_row<<<1216, 256>>>(zeros, out);
  chase<<<1, 1>>>(zeros, out);
  atomics<<<608, 256>>>(reinterpret_cast<unsigned*>(zeros), reinterpret_cast<unsigned*>(out));
  int wrong = 0;
  for (int value : sample(zeros, 16)) wrong += value != 608 * 64;
  HIP_CHECK(hipFree(zeros));
  HIP_CHECK(hipFree(out));
  return report("labels", wrong);
}
