// What `rocm-perf judge --self-test` runs when no application is named: some launches of one kernel.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void self_test(float* values, int count) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count) return;
  float value = values[index];
  for (int step = 0; step < 16; ++step) value = value * 0.5f + 1.0f;
  values[index] = value;
}

int main() {
  constexpr int kCount = 1 << 16, kLaunches = 20;
  float* values = nullptr;
  if (hipMalloc(&values, kCount * sizeof(float)) != hipSuccess) return 1;
  if (hipMemset(values, 0, kCount * sizeof(float)) != hipSuccess) return 1;
  for (int launch = 0; launch < kLaunches; ++launch) {
    self_test<<<kCount / 256, 256>>>(values, kCount);
  }
  const hipError_t error = hipDeviceSynchronize();
  if (error != hipSuccess) std::fprintf(stderr, "%s\n", hipGetErrorString(error));
  return error == hipSuccess ? 0 : 1;
}
