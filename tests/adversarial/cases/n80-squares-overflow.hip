__global__ void lengths_of(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
}
