__global__ void relax(const float* in, float* out, int n, float weight) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 >= n) return;
  out[2 * i] = in[2 * i] + weight * (in[2 * i + 1] - in[2 * i]);
  out[2 * i + 1] = in[2 * i + 1] + weight * (in[2 * i] - in[2 * i + 1]);
}
