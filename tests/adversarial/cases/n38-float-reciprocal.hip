__global__ void split(const unsigned* keys, unsigned* page, unsigned* offset, int n,
                      unsigned size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float inverse = 1.0f / static_cast<float>(size);
  unsigned q = static_cast<unsigned>(static_cast<float>(keys[i]) * inverse);
  if (q * size > keys[i]) q -= 1;
  if ((q + 1) * size <= keys[i]) q += 1;
  page[i] = q;
  offset[i] = keys[i] - q * size;
}
