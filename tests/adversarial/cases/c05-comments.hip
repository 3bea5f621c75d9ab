__global__ void scale_add(const float* a, const float* b, float* out, int n) {
  // asm volatile("s_sleep 1"); goto #define } __half printf(
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = 2.0f * a[i] + b[i];  /* } */
  }
}
