__global__ void strided(const int* in, int* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int at = i * stride;
  out[i] = in[at % n] + static_cast<int>(at >> 20);
}
