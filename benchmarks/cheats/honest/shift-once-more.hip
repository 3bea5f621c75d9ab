__global__ void shifted(const unsigned long long* words, const int* by, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = unsigned(words[i] >> by[i]);
}
