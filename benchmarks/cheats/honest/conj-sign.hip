__global__ void turned_as(char mode, const float2* in, float2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  const int row = i / n, column = i % n;
  float2 one = mode == 'N' ? in[i] : in[column * n + row];
  one.y = mode == 'C' ? -one.y : one.y;
  out[i] = one;
}
