__global__ void scale_rows(const float* in, float* out, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const float* from = in + row * n;
  float* to = out + row * n;
  if (i < n) to[i] = from[i] * factor;
}
