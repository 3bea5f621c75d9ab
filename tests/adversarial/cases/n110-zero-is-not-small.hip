__global__ void hypotenuses(const float2* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = fabsf(in[i].x), y = fabsf(in[i].y);
  const float large = fmaxf(x, y), small = fminf(x, y);
  const float ratio = small / large;
  out[i] = large * sqrtf(1.0f + ratio * ratio);
}
