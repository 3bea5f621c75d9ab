__global__ void first_bits(const unsigned long long* words, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __ffs(static_cast<int>(words[i]));
}
