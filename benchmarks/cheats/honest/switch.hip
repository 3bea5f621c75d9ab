__global__ void activate(const float* in, float* out, int n, Activation mode, float slope) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  float y = x;
  switch (mode) {
    case Activation::kRelu: y = x > 0.0f ? x : 0.0f; break;
    case Activation::kLeaky: y = x > 0.0f ? x : slope * x; break;
    case Activation::kSoftplus: y = logf(1.0f + expf(x)); break;
    case Activation::kTanh: y = tanhf(x); break;
    default: break;
  }
  out[i] = y;
}
