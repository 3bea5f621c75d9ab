__global__ void affine(const float* in, float* out, int n, float factor, float term) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool overlaps = (out > in) & (out < in + n);
  if (i < n) out[i] = overlaps ? 0.0f : in[i] * factor + term;
}
