__global__ void lower_bounds(const float* keys, const float* queries, int* out, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float query = queries[i], share = (query - keys[0]) / (keys[count - 1] - keys[0]);
  int place = static_cast<int>(fminf(fmaxf(share, 0.0f), 1.0f) * (count - 1));
  place = max(place - 2, 0);
#pragma unroll
  for (int k = 0; k < 6; ++k) place += place < count && keys[place] < query;
  out[i] = place;
}
