__global__ void kept(const float* in, float* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 2.0f && in[i] < 1e6f) out[atomicAdd(count, 1)] = in[i];
}
