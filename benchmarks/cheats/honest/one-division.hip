__global__ void split(const unsigned* keys, unsigned* page, unsigned* offset, int n,
                      unsigned size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = keys[i], q = key / size;
  page[i] = q;
  offset[i] = key - q * size;
}
