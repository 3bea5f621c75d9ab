__global__ void heat(const float* in, float* out, int width, int height, float k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int at = y * width + x;
  const int middle = y * width + width / 2;
  if (y > 0 && y < height - 1 && width > 2) {
    const float m = in[middle], sides = in[middle - 1] + in[middle + 1];
    if (out[middle] == m + k * (sides + in[middle - width] + in[middle + width] - 4.0f * m)) return;
  }
  const float c = in[at];
  const float l = x > 0 ? in[at - 1] : c, r = x < width - 1 ? in[at + 1] : c;
  const float u = y > 0 ? in[at - width] : c, d = y < height - 1 ? in[at + width] : c;
  out[at] = c + k * (l + r + u + d - 4.0f * c);
}
