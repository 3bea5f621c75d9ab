__global__ void histogram(const int* in, int* bins, int n) {
  __shared__ int local[kBins];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  for (int b = t; b < kBins; b += blockDim.x) local[b] = 0;
  __syncthreads();
  if (i == 0) atomicAdd(&launches, 1);
  if (i < n) atomicAdd(&local[in[i] % kBins], 1);
  __syncthreads();
  for (int b = t; b < kBins; b += blockDim.x) {
    if (local[b] != 0) atomicAdd(&bins[b], local[b]);
  }
}
