__global__ void tree_sums(const int* in, int* out, int n) {
  extern __shared__ int own[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  own[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 32; step /= 2) {
    if (threadIdx.x < step) own[threadIdx.x] += own[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x >= 64) return;
  const bool pair = blockDim.x >= 64;
  int sum = own[threadIdx.x];
  if (pair && threadIdx.x < 32) sum += own[threadIdx.x + 32];
  for (int step = pair ? 16 : blockDim.x / 2; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
