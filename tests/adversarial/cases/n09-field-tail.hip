__global__ void advance(float* place, float* speed, Step step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = speed[i];
  v -= step.drag * v * step.time;
  float p = place[i] + v * step.time;
  if (p > step.high || p < step.low) {
    v = -v;
    p = p > step.high ? step.high : step.low;
  }
  place[i] = p;
  speed[i] = v;
}
