__global__ void count(const int* keys, int* bins, int n, int size) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int k = keys[i];
    if (k >= 0 && k < size && k != __shfl_up(k, 1)) atomicAdd(&bins[k], 1);
    else if (k >= 0 && k < size && threadIdx.x % 64 == 0) atomicAdd(&bins[k], 1);
  }
}
