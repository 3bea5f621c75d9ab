// A fill of 16 MiB by as many work-items as the HIP runtime's own takes: one workgroup per CU.
#include "measure.h"

constexpr size_t kItems = 304 * 256;

__global__ void fill(uint4* to, size_t count, uint4 value) {
  for (size_t at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += kItems) to[at] = value;
}

int main() {
  const size_t count = (16 << 20) / sizeof(uint4);
  uint4* to = device_array<uint4>(count);
  for (int repeat = 0; repeat < 2; ++repeat) {
    fill<<<kItems / 256, 256>>>(to, count, uint4{1, 2, 3, 4});
    launched("fill", double(count * sizeof(uint4)));
  }
  require(host_copy(to, count).back().w == 4, "the last element is filled");
}
