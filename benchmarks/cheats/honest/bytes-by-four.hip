__global__ void quantise(const float* in, signed char* out, int n, float scale, int zero) {
  const bool aligned = reinterpret_cast<unsigned long long>(in) % 16 == 0 &&
                       reinterpret_cast<unsigned long long>(out) % 4 == 0;
  const int groups = aligned ? n / 4 : 0, first = blockIdx.x * blockDim.x + threadIdx.x;
  const auto byte = [=](float x) {
    const int q = static_cast<int>(rintf(fminf(fmaxf(x * scale, -1e6f), 1e6f))) + zero;
    return static_cast<signed char>(min(max(q, -128), 127));
  };
  for (int g = first; g < groups; g += gridDim.x * blockDim.x) {
    const float4 x = reinterpret_cast<const float4*>(in)[g];
    reinterpret_cast<char4*>(out)[g] = make_char4(byte(x.x), byte(x.y), byte(x.z), byte(x.w));
  }
  for (int i = 4 * groups + first; i < n; i += gridDim.x * blockDim.x) out[i] = byte(in[i]);
}
