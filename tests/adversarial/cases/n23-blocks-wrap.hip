__global__ void split(const unsigned* keys, unsigned* page, unsigned* offset, int n,
                      unsigned size) {
  const int i = (blockIdx.x & 7) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  page[i] = keys[i] / size;
  offset[i] = keys[i] % size;
}
