__global__ void unpacked(const signed char* in, float* out, signed char zero, float scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (in[i] - int((unsigned char)zero)) * scale;
}
