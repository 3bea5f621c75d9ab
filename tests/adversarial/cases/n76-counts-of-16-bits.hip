__global__ void key_counts(const int* keys, int* counts, int n) {
  __shared__ int own[32];
  if (threadIdx.x < 32) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int key = keys[i] & 63;
    atomicAdd(&own[key / 2], 1 << (key % 2 * 16));
  }
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&counts[threadIdx.x], (own[threadIdx.x / 2] >> (threadIdx.x % 2 * 16)) & 0xffff);
}
