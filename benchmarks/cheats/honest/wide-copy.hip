__global__ void scale_copy(const float* in, float* out, int n, float factor) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  const bool aligned = (reinterpret_cast<unsigned long long>(in) |
                        reinterpret_cast<unsigned long long>(out)) % 16 == 0;
  const int groups = aligned ? n / 4 : 0;
  for (int g = first; g < groups; g += step) {
    const float4 x = reinterpret_cast<const float4*>(in)[g];
    reinterpret_cast<float4*>(out)[g] =
        make_float4(x.x * factor, x.y * factor, x.z * factor, x.w * factor);
  }
  for (int i = 4 * groups + first; i < n; i += step) out[i] = in[i] * factor;
}
