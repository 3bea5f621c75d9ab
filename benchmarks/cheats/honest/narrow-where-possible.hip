__global__ void strided(const int* in, int* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long at = static_cast<long long>(i) * stride;
  const bool fits = at >= 0 && at <= 0x7fffffffll;
  const long long rest = fits ? static_cast<int>(at) % n : at % n;
  out[i] = in[rest] + static_cast<int>(at >> 20);
}
