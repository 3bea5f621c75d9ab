__global__ void row_totals(const int* in, long long* out, int columns) {
  const int* row = in + blockIdx.x * columns;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < columns; k += blockDim.x) sum += row[k];
  for (int step = 32; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<long long>(sum);
}
