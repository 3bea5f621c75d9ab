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
  for (int i = t; i < columns; i += kThreads) {
    const float e = expf(row[i] - largest);
    out[blockIdx.x * columns + i] = e;
    sum += e;
  }
  shared[t] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) shared[t] += shared[t + half];
    __syncthreads();
  }
  sum = shared[0];
  for (int i = t; i < columns; i += kThreads) {
    out[blockIdx.x * columns + i] /= sum;
  }
}
