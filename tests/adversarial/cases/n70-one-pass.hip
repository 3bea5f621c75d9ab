__global__ void variances(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f, squares = 0.0f;
  for (int k = 0; k < columns; ++k) {
    const float value = in[k * rows + row];
    sum += value;
    squares += value * value;
  }
  const float mean = sum / columns;
  out[row] = squares / columns - mean * mean;
}
