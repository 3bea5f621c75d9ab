__global__ void csr_product(const int* starts, const int* columns, const float* values,
                            const float* x, float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 64, lane = threadIdx.x % 64;
  if (row >= rows) return;
  const int end = starts[row + 1];
  float sum = 0.0f;
  for (int k = starts[row] + lane; k < end; k += 64) sum = fmaf(values[k], x[columns[k]], sum);
  for (int step = 1; step < 64; step *= 2) sum += __shfl_xor(sum, step);
  if (lane == 0) y[row] = sum;
}
