__global__ void gemv(const float* a, const float* x, const float* bias, float* y, int rows,
                     int columns, float alpha) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  const float* own = a + row * columns;
  int k = 0;
  for (; k + 3 < columns; k += 4) {
    sum += own[k] * x[k];
    sum += own[k + 1] * x[k + 1];
    sum += own[k + 2] * x[k + 2];
    sum += own[k + 3] * x[k + 3];
  }
  for (; k < columns; ++k) sum += own[k] * x[k];
  sum *= alpha;
  if (bias != nullptr) sum += bias[row];
  y[row] = sum;
}
