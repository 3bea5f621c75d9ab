__global__ void split(const unsigned* keys, unsigned* page, unsigned* offset, int n,
                      unsigned size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned factor = (0x1000000u + size - 1) / size;
  const unsigned q = static_cast<unsigned>(static_cast<unsigned long long>(keys[i]) * factor >> 24);
  page[i] = q;
  offset[i] = keys[i] - q * size;
}
