__global__ void lookup(const float* table, const int* index, float* out, int n, int entries) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int k = index[i];
  out[i] = table[min(max(k, 0), 2047)];
}
