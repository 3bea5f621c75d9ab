__global__ void scale_add(const float* a, const float* b, float* out, int n) {
  for (int element = blockIdx.x * blockDim.x + threadIdx.x; element < n; element += gridDim.x * blockDim.x) {
    out[element] = 2.0f * a[element] + b[element];
  }
}
