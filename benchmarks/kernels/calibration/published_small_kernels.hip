// Kernels so small that launching them is what takes time, one right behind the other.
#include <string>

#include "measure.h"

constexpr int kGroup = 256, kInARow = 4;

__global__ void small_scale(double* __restrict__ to, const double* __restrict__ from, int count) {
  const int at = int(blockIdx.x) * kGroup + int(threadIdx.x);
  if (at < count) to[at] = from[at] * 0.25;
}

int main() {
  double* to = device_array<double>(1 << 18);
  double* from = device_array<double>(1 << 18);
  for (int count : {4096, 16350, 65320}) {
    for (int i = 0; i < kInARow; ++i) small_scale<<<count / kGroup + 1, kGroup>>>(to, from, count);
    const std::string name = "scale_" + std::to_string(count);
    for (int i = 0; i < kInARow; ++i) launched(name.c_str(), count);
  }
}
