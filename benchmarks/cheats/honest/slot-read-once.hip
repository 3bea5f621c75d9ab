__global__ void find_keys(const int* table, const int* queries, int* places, int n, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int query = queries[i], mask = size - 1;
  int slot = query & mask, place = -1;
  for (int k = 0; k < size; ++k) {
    const int key = table[slot];
    if (key < 0) break;
    if (key == query) {
      place = slot;
      break;
    }
    slot = (slot + 1) & mask;
  }
  places[i] = place;
}
