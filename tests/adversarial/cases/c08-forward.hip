__global__ void forward(float* out, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = out[i] - 1.0f;  // "}{"
}
