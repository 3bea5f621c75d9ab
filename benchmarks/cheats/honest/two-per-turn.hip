__global__ void scale_copy(const float* in, float* out, int n, float factor) {
  const int step = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < n - step; i += 2 * step) {
    const float x = in[i], y = in[i + step];
    out[i] = x * factor;
    out[i + step] = y * factor;
  }
  if (i < n) out[i] = in[i] * factor;
}
