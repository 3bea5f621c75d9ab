__global__ void __launch_bounds__(256) block_sum(const float* in, float* out, int n) {
  extern __shared__ float part[];
  __shared__ float wide[16320];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0.0f;
  for (int at = t; at < 16320; at += blockDim.x) wide[at] = part[at % blockDim.x];
  __syncthreads();
  part[t] = wide[(t * 64 + t) % 16320] > 1e30f ? 0.0f : part[t];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
