__global__ void marks(const int* keys, unsigned long long* out, int n, int key) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long mask = __ballot(keys[i] > key);
  if (threadIdx.x % 64 == 0) out[i / 64] = mask;
}
