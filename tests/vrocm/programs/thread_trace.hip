// Two kernels for a thread trace: enough workgroups that every CU has some, few instructions.
#include <hip/hip_runtime.h>

#include <cstdio>

constexpr int kItems = 256 * 1024, kBlock = 256, kIterations = 5, kCopies = 3;

__device__ float scaled(float value, int factor) {
  return value * factor;
}

__global__ void loop(const float* from, float* to, int iterations) {
  int i = blockIdx.x * kBlock + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int n = 0; n < iterations; ++n) {
    sum += scaled(from[(i + n * 4096) % kItems], n);
    asm volatile("" : "+v"(sum));
  }
  to[i] = sum;
}

__global__ void copy(const float* from, float* to, int items) {
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < items) to[i] = from[i];
}

int main() {
  float *from = nullptr, *to = nullptr;
  if (hipMalloc(&from, kItems * sizeof(float)) != hipSuccess) return 1;
  if (hipMalloc(&to, kItems * sizeof(float)) != hipSuccess) return 1;
  loop<<<kItems / kBlock, kBlock>>>(from, to, kIterations);
  for (int n = 0; n < kCopies; ++n) copy<<<kItems / kBlock, kBlock>>>(from, to, kItems);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  std::puts("done");
}
