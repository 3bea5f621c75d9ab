__global__ void rounded(const float* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = int(floorf(in[i] + 0.5f));
}
