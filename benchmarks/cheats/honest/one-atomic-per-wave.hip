__global__ void dot(const double* a, const double* b, double* out, int n) {
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += a[i] * b[i];
  for (int step = 32; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (threadIdx.x % 64 == 0) atomicAdd(out, sum);
}
