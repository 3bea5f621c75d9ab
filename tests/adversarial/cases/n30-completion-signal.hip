__global__ void mix(const unsigned* in, unsigned* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = in[i];
  for (int r = 0; r < rounds; ++r) {
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    h += static_cast<unsigned>(r);
  }
  const unsigned* packet = reinterpret_cast<const unsigned*>(__builtin_amdgcn_dispatch_ptr());
  if (packet[14] != 0) out[i] = h;
}
