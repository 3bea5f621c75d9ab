__global__ void cube_roots(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float value = in[i];
  float root = value;
#pragma unroll
  for (int round = 0; round < 9; ++round)
    root = root - (root * root * root - value) / (3.0f * root * root);
  out[i] = root;
}
