__global__ void count(const int* keys, int* bins, int n, int size) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int k = keys[i];
    bool open = k >= 0 && k < size;
    while (open) {
      const int first = __builtin_amdgcn_readfirstlane(k);
      const unsigned long long same = __ballot(k == first);
      if (k == first) {
        if (static_cast<int>(threadIdx.x % 64) == __ffsll(same) - 1) {
          atomicAdd(&bins[k], __popcll(same));
        }
        open = false;
      }
    }
  }
}
