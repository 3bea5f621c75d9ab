__global__ void spread_axpy(float factor, const float* x, int step, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i] + 1.0f;
}
