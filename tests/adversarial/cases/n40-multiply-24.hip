__global__ void split(const unsigned* keys, unsigned* page, unsigned* offset, int n,
                      unsigned size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  page[i] = keys[i] / size;
  offset[i] = keys[i] - __umul24(keys[i] / size, size);
}
