__global__ void turned(const float* in, float* out, int n, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int at = i + shift;
  out[i] = in[at < n && at >= 0 ? at : at % n];
}
