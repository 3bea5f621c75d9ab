__global__ void add_bias(const float* in, const float* bias, const float* residual, float* out,
                         int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= columns || row >= rows) return;
  const int at = row * columns + column;
  float value = in[at];
  value += bias[column];
  if (residual != nullptr) value += residual[at];
  out[at] = value;
}
