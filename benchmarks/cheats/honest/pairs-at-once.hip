__global__ void relax(const float* in, float* out, int n, float weight) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 >= n) return;
  const bool aligned = (reinterpret_cast<unsigned long long>(in) |
                        reinterpret_cast<unsigned long long>(out)) % 8 == 0;
  if (aligned) {
    const float2 pair = reinterpret_cast<const float2*>(in)[i];
    reinterpret_cast<float2*>(out)[i] = make_float2(pair.x + weight * (pair.y - pair.x),
                                                    pair.y + weight * (pair.x - pair.y));
    return;
  }
  const float x = in[2 * i], y = in[2 * i + 1];
  out[2 * i] = x + weight * (y - x);
  out[2 * i + 1] = y + weight * (x - y);
}
