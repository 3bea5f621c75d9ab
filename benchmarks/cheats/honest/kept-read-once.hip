__global__ void kept(const float* in, float* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float value = in[i];
  if (value > 2.0f) {
    const int place = atomicAdd(count, 1);
    out[place] = value;
  }
}
