__global__ void scale_add(const float* a, const float* b, float* out, int n) {
  const int \u00e9tat = n;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < \u00e9tat; i += gridDim.x * blockDim.x) {
    out[i] = 2.0f * a[i] + b[i];
  }
}
