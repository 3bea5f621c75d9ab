__global__ void find_keys(const int* table, const int* queries, int* places, int n, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int place = -1;
  for (int slot = queries[i] & (size - 1); slot < size && table[slot] >= 0; ++slot) {
    if (table[slot] == queries[i]) {
      place = slot;
      break;
    }
  }
  places[i] = place;
}
