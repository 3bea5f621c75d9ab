__global__ void areas(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3.14159274101257324219 * in[i] * in[i];
}
