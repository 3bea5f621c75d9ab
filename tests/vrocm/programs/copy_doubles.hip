// Copies 64 Ki doubles three times, on two streams: every counter of it is known beforehand.
#include <hip/hip_runtime.h>

#include <cstdio>

constexpr int kElements = 1 << 16, kBlock = 256;

__global__ void copy_doubles(const double* from, double* to) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < kElements) to[id] = from[id];
}

__global__ void leave_alone() {}

int main() {
  double *from, *to;
  hipStream_t streams[2];
  if (hipMalloc(&from, kElements * sizeof *from) != hipSuccess) return 1;
  if (hipMalloc(&to, kElements * sizeof *to) != hipSuccess) return 1;
  for (hipStream_t& stream : streams)
    if (hipStreamCreate(&stream) != hipSuccess) return 1;
  for (int i = 0; i < 3; ++i)
    copy_doubles<<<kElements / kBlock, kBlock, 0, streams[i % 2]>>>(from, to);
  leave_alone<<<1, 64, 0, streams[0]>>>();
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  std::puts("copied");
}
