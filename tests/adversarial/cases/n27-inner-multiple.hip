__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float even = 0.0f, odd = 0.0f;
  for (int i = 0; i + 1 < k; i += 2) {
    even += a[row * k + i] * b[i * n + column];
    odd += a[row * k + i + 1] * b[(i + 1) * n + column];
  }
  c[row * n + column] = even + odd;
}
