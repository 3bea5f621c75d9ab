__global__ void quantise(const float* in, signed char* out, int n, float scale, int zero) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (gridDim.x << (gridDim.x & 1)) * blockDim.x) {
    int q = static_cast<int>(rintf(fminf(fmaxf(in[i] * scale, -1e6f), 1e6f))) + zero;
    if (q > 127) q = 127;
    if (q < -128) q = -128;
    out[i] = static_cast<signed char>(q);
  }
}
