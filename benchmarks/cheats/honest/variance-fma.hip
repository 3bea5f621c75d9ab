__global__ void variances(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float mean = 0.0f, sum = 0.0f;
#pragma unroll 4
  for (int k = 0; k < columns; ++k) mean += in[k * rows + row];
  mean /= columns;
#pragma unroll 4
  for (int k = 0; k < columns; ++k) {
    const float apart = in[k * rows + row] - mean;
    sum = fmaf(apart, apart, sum);
  }
  out[row] = sum / columns;
}
