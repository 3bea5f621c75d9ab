// One XCD of eight has more to do than the others, though not at the beginning: what a sample may overlook.
#include <hip/hip_runtime.h>

__global__ void hidden(unsigned* out, int rounds) {
  const int n = blockIdx.x % 8 == 1 && blockIdx.x > 1200 ? rounds : 0;
  for (int i = 0; i < n; ++i) atomicAdd(out + threadIdx.x % 16, threadIdx.x);
}

int main() {
  unsigned* out = nullptr;
  if (hipMalloc(&out, 16 * sizeof *out) != hipSuccess) return 1;
  hidden<<<2400, 512>>>(out, 5);
  hidden<<<8, 64>>>(out, 1);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
