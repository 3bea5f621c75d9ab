__global__ void list_lengths(const int* next, const int* heads, int* lengths, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int length = 0, node = heads[i];
  while (node >= 0) {
    node = next[node];
    length += 1;
  }
  lengths[i] = length;
}
