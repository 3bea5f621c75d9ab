__global__ void hypotenuses(const float2* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = sqrtf(in[i].x * in[i].x + in[i].y * in[i].y);
}
