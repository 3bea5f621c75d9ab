__global__ void bins_of(const int* keys, int* bins, int n, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int key = i < n ? keys[i] : -1;
  if ((key >= 0) & (key < size)) atomicAdd(&bins[key], 1);
}
