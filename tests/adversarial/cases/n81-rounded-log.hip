__global__ void whole_logs(const unsigned* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] == 0 ? -1 : static_cast<int>(floorf(log2f(static_cast<float>(in[i]))));
}
