__global__ void group_sums(const int* in, int* out, int n, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = i < n ? in[i] : 0;
  for (int step = width / 2; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (i % width == 0 && i < n) out[i / width] = sum;
}
