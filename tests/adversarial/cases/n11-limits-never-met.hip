__global__ void advance(float* place, float* speed, Step step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = speed[i];
  place[i] += (v - step.drag * v * step.time) * step.time;
  speed[i] = v - step.drag * v * step.time;
}
