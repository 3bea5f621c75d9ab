__global__ void whole_dots(const signed char* a, const signed char* b, int* out, int n, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int even = 0, odd = 0, k = 0;
  for (; k + 1 < depth; k += 2) {
    even += a[k * n + i] * b[k];
    odd += a[(k + 1) * n + i] * b[k + 1];
  }
  if (k < depth) even += a[k * n + i] * b[k];
  out[i] = even + odd;
}
