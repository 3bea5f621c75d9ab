// Copies 64 Ki doubles three times: many counters of it are known beforehand. Then two small kernels
// that run at the same time, unless somebody counts.
#include <hip/hip_runtime.h>

#include <cstdio>

constexpr int kElements = 1 << 16, kBlock = 256;

__global__ void copy_doubles(const double* from, double* to) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < kElements) to[id] = from[id];
}

__global__ void linger(float* value, int times) {
  float x = *value;
  for (int i = 0; i < times; ++i) x = x * 0.5f + 1.0f;
  *value = x;
}

int main() {
  double *from, *to;
  hipStream_t streams[2];
  if (hipMalloc(&from, kElements * sizeof *from) != hipSuccess) return 1;
  if (hipMalloc(&to, kElements * sizeof *to) != hipSuccess) return 1;
  for (hipStream_t& stream : streams)
    if (hipStreamCreate(&stream) != hipSuccess) return 1;
  for (int i = 0; i < 3; ++i)
    copy_doubles<<<kElements / kBlock, kBlock, 0, streams[i % 2]>>>(from, to);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  for (int i = 0; i < 2; ++i)
    linger<<<1, 1, 0, streams[i]>>>(reinterpret_cast<float*>(to + i), 10000);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  std::puts("copied");
}
