__global__ void advance(float* place, float* speed, Step step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = speed[i];
  v -= step.drag * v * step.time;
  float p = place[i] + v * step.time;
  if (step.wraps) {
    const float width = step.high - step.low;
    if (p >= step.high) p -= width;
    if (p < step.low) p += width;
  } else {
    const bool above = p > step.high, below = p < step.low;
    v = above || below ? -v : v;
    p = above ? step.high : below ? step.low : p;
  }
  place[i] = p;
  speed[i] = v;
}
