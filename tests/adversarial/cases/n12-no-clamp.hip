__global__ void quantise(const float* in, signed char* out, int n, float scale, int zero) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = static_cast<signed char>(static_cast<int>(rintf(in[i] * scale)) + zero);
  }
}
