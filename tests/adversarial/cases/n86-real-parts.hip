__global__ void rotate(const float2* in, float2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = make_float2(in[i].x * 0.8f, in[i].x * 0.6f);
}
