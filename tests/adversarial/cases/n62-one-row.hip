__global__ void scale_rows(const float* in, float* out, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  if (i < n) out[row * n + i] = in[row * n + i] * factor;
}
