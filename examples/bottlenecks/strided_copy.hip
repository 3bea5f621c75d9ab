// strided_copy: gathers one column of a matrix.
// Lesson: a column of a matrix stored by rows lies in another cache line for every element. The
// memory system is busy with lines of 128 bytes of which 4 are used.
#include "example.h"

constexpr int kRows = 3 << 19, kColumns = 32, kBlock = 256, kChecked = 1024;

__global__ void copy_column(const float* matrix, float* out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  out[row] = matrix[row * kColumns] + 1.0f;
}

int main() {
  float* matrix = device_array<float>(static_cast<size_t>(kRows) * kColumns);
  float* out = device_array<float>(kRows);
  HIP_CHECK(hipMemset(matrix, 0, sizeof(float) * kChecked * kColumns));
  copy_column<<<kRows / kBlock, kBlock>>>(matrix, out);
  int wrong = 0;
  for (float value : sample(out, kChecked)) wrong += value != 1.0f;
  HIP_CHECK(hipFree(matrix));
  HIP_CHECK(hipFree(out));
  return report("strided_copy", wrong);
}
