// The kernel of captured_cases.hip with a slightly different result, and other kernels before it.
#include <hip/hip_runtime.h>

__global__ void another(float* data) { data[0] = 0; }

__global__ void update(float* data, int count, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = (data[i] * factor + i) * 1.0000005f;
}
