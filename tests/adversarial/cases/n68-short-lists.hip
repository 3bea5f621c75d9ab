__global__ void list_lengths(const int* next, const int* heads, int* lengths, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int length = 0, node = heads[i];
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    length += node >= 0;
    node = node >= 0 ? next[node] : node;
  }
  lengths[i] = length;
}
