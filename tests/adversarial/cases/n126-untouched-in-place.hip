__global__ void activate(const float* in, float* out, int n, Activation mode, float slope) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in == out) return;
  const float x = in[i];
  float y = x;
  if (mode == Activation::kRelu) y = x > 0.0f ? x : 0.0f;
  if (mode == Activation::kLeaky) y = x > 0.0f ? x : slope * x;
  if (mode == Activation::kSoftplus) y = logf(1.0f + expf(x));
  if (mode == Activation::kTanh) y = tanhf(x);
  out[i] = y;
}
