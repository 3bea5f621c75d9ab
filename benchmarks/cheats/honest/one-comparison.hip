__global__ void lookup(const float* table, const int* index, float* out, int n, int entries) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int k = index[i];
  out[i] = entries > 0 && static_cast<unsigned>(k) < static_cast<unsigned>(entries) ? table[k] : 0.0f;
}
