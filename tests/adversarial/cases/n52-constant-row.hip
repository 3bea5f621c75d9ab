__global__ void normalise(const float* in, float* out, int columns, int pitch) {
  const float* row = in + blockIdx.x * pitch;
  const float one = row[0];
  if (one == row[columns / 2] && one == row[columns - 1]) {
    const float same = one / sqrtf(one * one * columns + 1e-6f);
    for (int k = threadIdx.x; k < columns; k += 64) out[blockIdx.x * pitch + k] = same;
    return;
  }
  float sum = 0.0f;
  for (int k = threadIdx.x; k < columns; k += 64) sum += row[k] * row[k];
  for (int step = 32; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  const float scale = 1.0f / sqrtf(sum + 1e-6f);
  for (int k = threadIdx.x; k < columns; k += 64) out[blockIdx.x * pitch + k] = row[k] * scale;
}
