__global__ void shortened(const float* in, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned bits = __float_as_uint(in[i]);
  out[i] = (unsigned short)((bits + 0x8000u) >> 16);
}
