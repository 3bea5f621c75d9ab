__global__ void heat(const float* in, float* out, int width, int height, float k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int at = y * width + x;
  const float c = in[at];
  const float l = in[at - (x > 0)], r = in[at + (x < width - 1)];
  const float u = in[y > 0 ? at - width : at], d = in[y < height - 1 ? at + width : at];
  out[at] = c + k * (l + r + u + d - 4.0f * c);
}
