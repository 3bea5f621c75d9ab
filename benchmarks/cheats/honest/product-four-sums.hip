__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  float part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int i = 0; i < k; ++i) part[i % 4] += a[row * k + i] * b[i * n + column];
  sum = (part[0] + part[1]) + (part[2] + part[3]);
  c[row * n + column] = sum;
}
