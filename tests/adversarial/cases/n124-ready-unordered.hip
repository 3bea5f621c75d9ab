__global__ void running_sums(const int* in, int* out, int* ends, int* ready, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int own[256];
  __shared__ int before;
  own[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < blockDim.x; ++k) own[k] += own[k - 1];
    if (blockIdx.x > 0)
      while (__hip_atomic_load(&ready[blockIdx.x - 1], __ATOMIC_ACQUIRE,
                               __HIP_MEMORY_SCOPE_AGENT) == 0) {
      }
    before = blockIdx.x > 0 ? ends[blockIdx.x - 1] : 0;
    ends[blockIdx.x] = before + own[blockDim.x - 1];
    __hip_atomic_store(&ready[blockIdx.x], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
  __syncthreads();
  if (i < n) out[i] = before + own[threadIdx.x];
}
