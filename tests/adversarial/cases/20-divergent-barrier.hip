__global__ void __launch_bounds__(256) block_sum(const float* in, float* out, int n) {
  extern __shared__ float part[];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  if (t >= 64) __syncthreads();
  part[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
