__global__ void advance(float* place, float* speed, Step step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float time = step.time, low = step.low, high = step.high;
  float v = speed[i];
  v -= step.drag * v * time;
  float p = place[i] + v * time;
  if (step.wraps != 0) {
    const float width = high - low;
    p = p >= high ? p - width : p;
    p = p < low ? p + width : p;
  } else if (p > high) {
    v = -v;
    p = high;
  } else if (p < low) {
    v = -v;
    p = low;
  }
  place[i] = p;
  speed[i] = v;
}
