// The kernel of captured_cases.hip, written differently: the same results.
#include <hip/hip_runtime.h>

__global__ void update(float* data, int count, float factor) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= count) return;
  float value = data[i];
  value *= factor;
  data[i] = value + static_cast<float>(i);
}
