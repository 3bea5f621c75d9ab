// Doubles streamed out of HBM by two workgroups per CU, of growing size: half of the LDS each keeps a
// third one away. A store of a constant, and a stencil of three neighbours.
#include <string>

#include "measure.h"

constexpr size_t kCount = 40u << 20;
constexpr size_t kHalfOfLds = 32768;

__device__ size_t place() { return size_t(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void streams_store(double* to, size_t count) {
  extern __shared__ double unused[];
  const size_t at = place();
  if (at < count) to[at] = 0.5;
  if (count == 1) to[0] = unused[1];  // never: keeps the LDS
}
__global__ void streams_stencil(double* to, const double* __restrict__ from, size_t count) {
  extern __shared__ double unused[];
  const size_t at = place();
  if (at > 0 && at + 1 < count) to[at] = 0.5 * (from[at - 1] + from[at + 1]) - from[at];
  if (count == 1) to[0] = unused[1];
}
__global__ void prepare_values(double* to) { to[place()] = 1.0; }

int main() {
  double* to = device_array<double>(kCount);
  double* from = device_array<double>(kCount);
  prepare_values<<<kCount / 1024, 1024>>>(from);
  for (int threads : {64, 128, 256, 512, 1024}) {
    const unsigned groups = unsigned(kCount / threads);
    streams_store<<<groups, threads, kHalfOfLds>>>(to, kCount);
    launched(("store_" + std::to_string(threads)).c_str(), 8.0 * kCount);
    streams_stencil<<<groups, threads, kHalfOfLds>>>(to, from, kCount);
    launched(("stencil_" + std::to_string(threads)).c_str(), 16.0 * kCount);
  }
  require(host_copy(to + 1, 1)[0] == 0.0, "the stencil of equal values is 0");
}
