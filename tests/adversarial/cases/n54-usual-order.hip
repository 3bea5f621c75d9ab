__global__ void block_scan(const int* in, int* out, int n) {
  extern __shared__ int part[];
  const int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < size; step *= 2) {
    const int left = t >= step ? part[t - step] : 0;
    if (step < 64) __syncthreads();
    part[t] += left;
    __syncthreads();
  }
  if (i < n) out[i] = part[t];
}
