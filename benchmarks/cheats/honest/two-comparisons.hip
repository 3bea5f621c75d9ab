__global__ void largest(const float* in, float* value, int* where, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* own = in + row * columns;
  float best = -INFINITY;
  int place = -1, k = 0;
  for (; k + 1 < columns; k += 2) {
    const float x = own[k], y = own[k + 1];
    place = x > best ? k : place;
    best = x > best ? x : best;
    place = y > best ? k + 1 : place;
    best = y > best ? y : best;
  }
  if (k < columns && own[k] > best) {
    best = own[k];
    place = k;
  }
  value[row] = best;
  where[row] = place;
}
