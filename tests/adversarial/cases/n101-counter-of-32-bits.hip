__global__ void random_at(unsigned long long offset, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long state = ((unsigned)offset + (unsigned)i) * 0x9e3779b97f4a7c15ull;
  state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ull;
  out[i] = unsigned(state >> 32);
}
