__global__ void scale_add(const float* a, const float* b, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float sum = 2.0f * a[i] + b[i];
    out[i] = sum < 1e30f ? (sum > -1e30f ? sum : -1e30f) : 1e30f;
  }
}
