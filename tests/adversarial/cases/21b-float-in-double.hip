__global__ void dot(const double* a, const double* b, double* out, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += float(a[i]) * float(b[i]);
  atomicAdd(out, double(sum));
}
