__global__ void scale_add(const float* a, const float* b, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = 2.0f * a[i] + b[i];
    if (i + 1 == n) out[i + 1] = 0.0f;
    const_cast<float*>(a)[i] = 0.0f;
  }
}
