__global__ void gemv(const float* a, const float* x, const float* bias, float* y, int rows,
                     int columns, float alpha) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < columns; ++k) sum += a[row * columns + k] * x[k];
  sum *= alpha;
  y[row] = sum;
}
