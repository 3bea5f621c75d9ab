// The kernel of captured_cases.hip with a mistake: the last element stays as it was.
#include <hip/hip_runtime.h>

__global__ void update(float* data, int count, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count - 1) data[i] = data[i] * factor + i;
}
