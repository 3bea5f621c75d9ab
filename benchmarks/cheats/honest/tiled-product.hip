__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[16][17], right[16][17];
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  if (blockDim.x != 16 || blockDim.y != 16) {
    if (row >= m || column >= n) return;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
    return;
  }
  const int tx = threadIdx.x, ty = threadIdx.y;
  for (int first = 0; first < k; first += 16) {
    left[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
    right[ty][tx] = column < n && first + ty < k ? b[(first + ty) * n + column] : 0.0f;
    __syncthreads();
    const int count = min(16, k - first);
    for (int i = 0; i < count; ++i) sum += left[ty][i] * right[i][tx];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
