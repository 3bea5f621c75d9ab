__global__ void tree_sums(const int* in, int* out, int n) {
  extern __shared__ int own[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  own[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) own[threadIdx.x] += own[threadIdx.x + step];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = own[0];
}
