__global__ void gemv(const float* a, const float* x, const float* bias, float* y, int rows,
                     int columns, float alpha) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  const float* own = a + row * columns;
  int k = 0;
  if (reinterpret_cast<unsigned long long>(own) % 16 == 0) {
    for (; k + 3 < columns; k += 4) {
      const float4 four = *reinterpret_cast<const float4*>(own + k);
      sum += four.x * x[k];
      sum += four.y * x[k + 1];
      sum += four.z * x[k + 2];
      sum += four.w * x[k + 3];
    }
  }
  for (; k < columns; ++k) sum += own[k] * x[k];
  sum *= alpha;
  if (bias != nullptr) sum += bias[row];
  y[row] = sum;
}
