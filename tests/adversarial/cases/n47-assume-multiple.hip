__global__ void scale_copy(const float* in, float* out, int n, float factor) {
  __builtin_assume(n % 4 == 0);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = in[i] * factor;
  }
}
