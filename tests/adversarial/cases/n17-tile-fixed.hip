__global__ void heat(const float* in, float* out, int width, int height, float k) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  if (x >= width || y >= height) return;
  const int at = y * width + x;
  const float c = in[at];
  const float l = x > 0 ? in[at - 1] : c, r = x < width - 1 ? in[at + 1] : c;
  const float u = y > 0 ? in[at - width] : c, d = y < height - 1 ? in[at + width] : c;
  out[at] = c + k * (l + r + u + d - 4.0f * c);
}
