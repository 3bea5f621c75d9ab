__global__ void split(const unsigned* keys, unsigned* page, unsigned* offset, int n,
                      unsigned size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = keys[i];
  if (size != 0 && (size & (size - 1)) == 0) {
    page[i] = key >> (__ffs(size) - 1);
    offset[i] = key & (size - 1);
  } else {
    page[i] = key / size;
    offset[i] = key % size;
  }
}
