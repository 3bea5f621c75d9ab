__global__ void csr_product(const int* starts, const int* columns, const float* values,
                            const float* x, float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 64, lane = threadIdx.x % 64;
  if (row >= rows) return;
  const int k = starts[row] + lane;
  float sum = k < starts[row + 1] ? values[k] * x[columns[k]] : 0.0f;
  for (int step = 32; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (lane == 0) y[row] = sum;
}
