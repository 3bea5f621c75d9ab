// Two kernels; the argument says how long the first one takes. For benchmarks/compare.py.
#include <hip/hip_runtime.h>
#include <cstdlib>
__global__ void spin(float* out, int n) {
  float value = threadIdx.x;
  for (int i = 0; i < n; ++i) value = value * 1.0001f + 0.5f;
  out[threadIdx.x] = value;
}
__global__ void same(float* out) { out[threadIdx.x] += 1; }
int main(int, char** argv) {
  float* out = nullptr;
  if (hipMalloc(&out, 4096) != hipSuccess) return 1;
  for (int i = 0; i < 10; ++i) {
    spin<<<1, 64>>>(out, std::atoi(argv[1]));
    same<<<1, 64>>>(out);
  }
  return hipDeviceSynchronize();
}
