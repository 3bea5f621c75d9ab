// One XCD of eight has much more to do than the others: what a sample may overlook.
#include <hip/hip_runtime.h>

__global__ void hidden(float* out, int rounds) {
  float x = float(threadIdx.x);
  const int n = blockIdx.x % 8 == 1 ? rounds : 1;
  for (int i = 0; i < n; ++i) x = __expf(x) + __sinf(x) + __logf(x + 2);
  if (x == 12345.f) *out = x;
}

int main() {
  float* out = nullptr;
  if (hipMalloc(&out, sizeof *out) != hipSuccess) return 1;
  hidden<<<2400, 512>>>(out, 30);
  hidden<<<8, 64>>>(out, 1);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
