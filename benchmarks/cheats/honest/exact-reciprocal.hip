__global__ void split(const unsigned* keys, unsigned* page, unsigned* offset, int n,
                      unsigned size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = keys[i];
  unsigned q = static_cast<unsigned>(static_cast<double>(key) * (1.0 / static_cast<double>(size)));
  long long rest = static_cast<long long>(key) - static_cast<long long>(q) * size;
  if (rest < 0) {
    q -= 1;
    rest += size;
  }
  if (rest >= size) {
    q += 1;
    rest -= size;
  }
  page[i] = q;
  offset[i] = static_cast<unsigned>(rest);
}
