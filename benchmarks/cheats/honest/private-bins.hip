__global__ void count(const int* keys, int* bins, int n, int size) {
  __shared__ int local[512];
  if (size > 512) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
      const int k = keys[i];
      if (k >= 0 && k < size) atomicAdd(&bins[k], 1);
    }
    return;
  }
  for (int b = threadIdx.x; b < size; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int k = keys[i];
    if (k >= 0 && k < size) atomicAdd(&local[k], 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < size; b += blockDim.x) {
    if (local[b] != 0) atomicAdd(&bins[b], local[b]);
  }
}
