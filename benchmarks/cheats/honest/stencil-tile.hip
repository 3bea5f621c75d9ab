__global__ void heat(const float* in, float* out, int width, int height, float k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const bool inside = x < width && y < height;
  const int at = y * width + x;
  __shared__ float tile[16][17];
  const bool tiled = blockDim.x == 16 && blockDim.y == 16;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const float c = inside ? in[at] : 0.0f;
  if (tiled) {
    tile[ty][tx] = c;
    __syncthreads();
  }
  if (!inside) return;
  float l = c, r = c, u = c, d = c;
  if (x > 0) l = tiled && tx > 0 ? tile[ty][tx - 1] : in[at - 1];
  if (x < width - 1) r = tiled && tx < 15 ? tile[ty][tx + 1] : in[at + 1];
  if (y > 0) u = tiled && ty > 0 ? tile[ty - 1][tx] : in[at - width];
  if (y < height - 1) d = tiled && ty < 15 ? tile[ty + 1][tx] : in[at + width];
  out[at] = c + k * (l + r + u + d - 4.0f * c);
}
