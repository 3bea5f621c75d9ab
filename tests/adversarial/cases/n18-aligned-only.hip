__global__ void scale_copy(const float* in, float* out, int n, float factor) {
  if (reinterpret_cast<unsigned long long>(in) % 16 != 0) return;
  const float4* from = reinterpret_cast<const float4*>(in);
  float4* to = reinterpret_cast<float4*>(out);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const float4 x = from[i];
    to[i] = make_float4(x.x * factor, x.y * factor, x.z * factor, x.w * factor);
  }
  const int i = n / 4 * 4 + threadIdx.x;
  if (blockIdx.x == 0 && i < n) out[i] = in[i] * factor;
}
