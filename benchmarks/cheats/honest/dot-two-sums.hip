__global__ void dot(const double* a, const double* b, double* out, int n) {
  double sum = 0.0;
  double other = 0.0;
  const int width = blockDim.x;
  int i = threadIdx.x;
  for (; i < n - width; i += 2 * width) {
    sum += a[i] * b[i];
    other += a[i + width] * b[i + width];
  }
  if (i < n) sum += a[i] * b[i];
  sum += other;
  atomicAdd(out, sum);
}
