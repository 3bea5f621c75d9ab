__global__ void activate(const float* in, float* out, int n, Activation mode, float slope) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(in[i], 0.0f);
}
