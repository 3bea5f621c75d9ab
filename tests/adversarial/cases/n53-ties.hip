__global__ void largest(const float* in, float* value, int* where, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best = -INFINITY;
  int place = -1;
  for (int k = 0; k < columns; ++k) {
    const float x = in[row * columns + k];
    if (x >= best) {
      best = x;
      place = k;
    }
  }
  value[row] = best;
  where[row] = place;
}
