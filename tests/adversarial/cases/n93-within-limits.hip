__global__ void clamped_steps(const double* in, double* out, long n, double least, double most) {
  const long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i < n) out[i] = in[i] * 2.0;
}
