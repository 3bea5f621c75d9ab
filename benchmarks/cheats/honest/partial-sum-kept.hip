__global__ void batch_sums(const float* const* rows, float* out, int columns) {
  const float* row = rows[blockIdx.x];
  __shared__ float own[256];
  float sum = 0.0f;
  for (int k = threadIdx.x; k < columns; k += blockDim.x) sum += row[k];
  own[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      sum += own[threadIdx.x + step];
      own[threadIdx.x] = sum;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
