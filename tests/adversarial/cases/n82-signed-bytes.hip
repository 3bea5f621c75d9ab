__global__ void byte_classes(const unsigned char* text, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<signed char>(text[i]) / 16;
}
