__global__ void count(const int* keys, int* bins, int n, int size) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int k = keys[i];
    if (k >= 0 && k < size) bins[k] += 1;
  }
}
