__global__ void ratio(const float* a, const float* b, float* out, int n) {
  const unsigned short i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float top = a[i], bottom = b[i];
  out[i] = bottom == 0.0f ? copysignf(1.0f, top) : top / bottom;
}
