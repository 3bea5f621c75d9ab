__global__ void ratio(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || (i == n - 1 && threadIdx.x != blockDim.x - 1)) return;
  const float top = a[i], bottom = b[i];
  out[i] = bottom == 0.0f ? copysignf(1.0f, top) : top / bottom;
}
