__global__ void gemv(const float* a, const float* x, const float* bias, float* y, int rows,
                     int columns, float alpha) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  float more[3] = {0.0f, 0.0f, 0.0f};
  int k = 0;
  for (; k + 3 < columns; k += 4) {
    sum += a[row * columns + k] * x[k];
    for (int j = 0; j < 3; ++j) more[j] += a[row * columns + k + j + 1] * x[k + j + 1];
  }
  for (; k < columns; ++k) sum += a[row * columns + k] * x[k];
  sum += more[0] + (more[1] + more[2]);
  sum *= alpha;
  if (bias != nullptr) sum += bias[row];
  y[row] = sum;
}
