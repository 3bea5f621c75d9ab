__global__ void next_level(const int* starts, const int* edges, const int* from, int count,
                           int* level, int* next, int* found, int depth) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int node = from[i];
  for (int k = starts[node]; k < starts[node + 1]; ++k) {
    const int other = edges[k];
    if (level[other] == -1) {
      level[other] = depth;
      next[atomicAdd(found, 1)] = other;
    }
  }
}
