__global__ void heat(const float* in, float* out, int width, int height, float k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int at = y * width + x;
  const int first = __builtin_amdgcn_readfirstlane(at);
  const int fx = first % width, fy = first / width;
  const float f = in[first];
  const float fl = fx > 0 ? in[first - 1] : f, fr = fx < width - 1 ? in[first + 1] : f;
  const float fu = fy > 0 ? in[first - width] : f;
  const float fd = fy < height - 1 ? in[first + width] : f;
  if (out[first] == f + k * (fl + fr + fu + fd - 4.0f * f)) return;
  const float c = in[at];
  const float l = x > 0 ? in[at - 1] : c, r = x < width - 1 ? in[at + 1] : c;
  const float u = y > 0 ? in[at - width] : c, d = y < height - 1 ? in[at + width] : c;
  out[at] = c + k * (l + r + u + d - 4.0f * c);
}
