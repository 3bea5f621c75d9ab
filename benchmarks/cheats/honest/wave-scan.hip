__global__ void block_scan(const int* in, int* out, int n) {
  extern __shared__ int part[];
  const int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  const int lane = t % 64, wave = t / 64;
  int sum = i < n ? in[i] : 0;
  for (int step = 1; step < 64; step *= 2) {
    const int left = __shfl_up(sum, step);
    if (lane >= step) sum += left;
  }
  if (lane == 63) part[wave] = sum;
  __syncthreads();
  for (int w = 0; w < wave; ++w) sum += part[w];
  if (i < n) out[i] = sum;
}
