// Two workgroups per CU go round and round through one array that all of them share and that the L2s,
// or the Infinity Cache, hold: one double per work-item is read or written.
#include <string>

#include "measure.h"

constexpr size_t kHalfOfLds = 32768;

template <int Length>
__device__ int turn() {
  return int((threadIdx.x + blockIdx.x * blockDim.x) % Length);
}
template <int Length>
__global__ void cached_write(double* to, size_t count) {
  extern __shared__ double unused[];
  to[turn<Length>()] = 0.5;
  if (count == 1) to[0] = unused[1];  // never: keeps the LDS
}
template <int Length>
__global__ void cached_read(double* to, const double* __restrict__ from, size_t count) {
  extern __shared__ double unused[];
  const int at = turn<Length>();
  const double value = from[at];
  if (value == 3.0 || count == 1) to[at] = value + unused[at & 63];  // never
}

template <int Length>
void both(double* to, double* from, size_t count, int threads, const std::string& name) {
  const unsigned groups = unsigned(count / threads);
  cached_read<Length><<<groups, threads, kHalfOfLds>>>(to, from, count);
  launched(("read_" + name).c_str(), 8.0 * count);
  cached_write<Length><<<groups, threads, kHalfOfLds>>>(to, count);
  launched(("write_" + name).c_str(), 8.0 * count);
}

int main() {
  constexpr int kInL2 = 24545, kInMall = 7348193, kInAllL2s = 1712097;  // odd: no power of two
  double* to = device_array<double>(kInMall);
  double* from = device_array<double>(kInMall);
  for (int threads : {64, 256, 512, 1024})
    both<kInL2>(to, from, 24u << 20, threads, "l2_" + std::to_string(threads));
  both<kInMall>(to, from, 48u << 20, 1024, "57407kB");
  both<kInAllL2s>(to, from, 48u << 20, 1024, "13375kB");
  require(host_copy(to, 1)[0] == 0.5, "what was written is there");
}
