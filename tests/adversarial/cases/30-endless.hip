__global__ void scale_add(const float* a, const float* b, float* out, int n) {
  while (a[0] != 0.5f || n > 0) {
    if (n < 0) break;
  }
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = 2.0f * a[i] + b[i];
  }
}
