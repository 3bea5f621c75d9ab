__global__ void scale_add(const float* b, const float* a, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = 2.0f * a[i] + b[i];
  }
}
