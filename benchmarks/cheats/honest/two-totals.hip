__global__ void row_totals(const int* in, long long* out, int columns) {
  const int* row = in + blockIdx.x * columns;
  long long sum = 0;
  long long other = 0;
  const int width = blockDim.x;
  int k = threadIdx.x;
  for (; k + width < columns; k += 2 * width) {
    sum += row[k];
    other += row[k + width];
  }
  if (k < columns) sum += row[k];
  sum += other;
  for (int step = 32; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
