__global__ void mix(const unsigned* in, unsigned* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = in[i];
  const auto round = [&](int r) {
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    h += static_cast<unsigned>(r);
  };
  int r = 0;
  for (; r + 1 < rounds; r += 2) {
    round(r);
    round(r + 1);
  }
  if (r < rounds) round(r);
  out[i] = h;
}
