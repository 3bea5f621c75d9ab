__global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float shared[kThreads];
  const int t = threadIdx.x;
  const float* row = in + blockIdx.x * columns;
  float largest = -INFINITY;
  for (int i = t; i < columns; i += kThreads) largest = fmaxf(largest, row[i]);
  shared[t] = largest;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) shared[t] = fmaxf(shared[t], shared[t + half]);
    __syncthreads();
  }
  largest = shared[0];
  __syncthreads();
  float sum = 0.0f;
  for (int i = t; i < columns; i += kThreads) sum += expf(row[i] - largest);
  shared[t] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) shared[t] += shared[t + half];
    __syncthreads();
  }
  const float scale = 1.0f / shared[0];
  for (int i = t; i < columns; i += kThreads) {
    out[blockIdx.x * columns + i] = expf(row[i] - largest) * scale;
  }
}
