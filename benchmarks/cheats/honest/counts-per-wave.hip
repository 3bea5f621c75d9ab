__global__ void key_counts(const int* keys, int* counts, int n) {
  __shared__ int own[4][64];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) own[k / 64][k % 64] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[threadIdx.x / 64 % 4][keys[i] & 63], 1);
  __syncthreads();
  if (threadIdx.x < 64) {
    int sum = 0;
    for (int wave = 0; wave < 4; ++wave) sum += own[wave][threadIdx.x];
    atomicAdd(&counts[threadIdx.x], sum);
  }
}
