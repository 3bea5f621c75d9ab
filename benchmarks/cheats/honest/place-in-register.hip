__global__ void keep_above(const int* in, int* out, int* kept, int n, int limit) {
  int place = 0;
  for (int first = 0; first < n; first += 64) {
    const int i = first + threadIdx.x;
    const int value = i < n ? in[i] : 0;
    const bool keep = i < n && value > limit;
    const unsigned long long votes = __ballot(keep);
    if (keep) out[place + __popcll(votes & ((1ull << threadIdx.x) - 1))] = value;
    place += __popcll(votes);
  }
  if (threadIdx.x == 0) *kept = place;
}
