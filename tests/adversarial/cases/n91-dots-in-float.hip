__global__ void whole_dots(const signed char* a, const signed char* b, int* out, int n, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < depth; ++k) sum += float(a[k * n + i]) * float(b[k]);
  out[i] = static_cast<int>(sum);
}
