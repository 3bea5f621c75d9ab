template <class T>
__global__ void total(const T* in, T* out, int n) {
  extern __shared__ float scratch[];
  T* part = reinterpret_cast<T*>(scratch);
  T sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  const bool usual = blockDim.x == 256;
  for (int half = blockDim.x / 2; half > (usual ? 32 : 0); half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  T last = part[threadIdx.x];
  if (usual && threadIdx.x < 64) {
    for (int step = 32; step > 0; step /= 2) last += __shfl_down(last, step);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = last;
}
