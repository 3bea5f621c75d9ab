template <class T>
__global__ void total(const T* in, T* out, int n) {
  extern __shared__ float scratch[];
  T* part = reinterpret_cast<T*>(scratch);
  T sum = 0;
  const int step = gridDim.x * blockDim.x;
  T more[3] = {0, 0, 0};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < n - 3 * step; i += 4 * step) {
    sum += in[i];
    for (int j = 0; j < 3; ++j) more[j] += in[i + (j + 1) * step];
  }
  for (; i < n; i += step) sum += in[i];
  sum += more[0] + (more[1] + more[2]);
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
