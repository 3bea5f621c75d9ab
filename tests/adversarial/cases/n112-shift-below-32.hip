__global__ void shifted(const unsigned long long* words, const int* by, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __funnelshift_r(unsigned(words[i]), unsigned(words[i] >> 32), by[i]);
}
