__global__ void chosen(const int* mask, const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (mask[i] & 1) ? 3.0f * in[i] : 1.0f;
}
