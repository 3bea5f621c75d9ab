__global__ void quadrants(const float2* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = atanf(in[i].y / in[i].x);
}
