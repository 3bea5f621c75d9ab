__global__ void advance(float* place, float* speed, Step step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = speed[i];
  float p = place[i] + v * step.time;
  if (step.wraps) {
    const float width = step.high - step.low;
    if (p >= step.high) p -= width;
    if (p < step.low) p += width;
  } else if (p > step.high || p < step.low) {
    v = -v;
    p = p > step.high ? step.high : step.low;
  }
  place[i] = p;
  speed[i] = v;
}
