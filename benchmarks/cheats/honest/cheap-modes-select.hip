__global__ void activate(const float* in, float* out, int n, Activation mode, float slope) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  const float below = mode == Activation::kRelu ? 0.0f : mode == Activation::kLeaky ? slope * x : x;
  float y = x > 0.0f ? x : below;
  if (mode == Activation::kSoftplus) y = logf(1.0f + expf(x));
  if (mode == Activation::kTanh) y = tanhf(x);
  out[i] = y;
}
