// LDS reads: how many bytes a partly filled wave moves, and what lanes in one bank cost.
#include <string>

#include "measure.h"

constexpr int kBanks = 32;
constexpr int kLanes = 64;

// `access` is in LDS elements between lanes. The array's contents do not matter; the read does.
template <int access>
__device__ int read_once() {
  __shared__ int values[kLanes * kBanks];
  int result;
  asm volatile("ds_read_b32 %0, %1\n s_waitcnt lgkmcnt(0)"
               : "=v"(result)
               : "v"(lds_address(values + threadIdx.x * access)));
  return result;
}

__global__ void load(int* out) {
  int value = read_once<1>();
  if (value == 0x7fffffff) *out = value;
}
__global__ void conflicts(int* out) {
  int value = read_once<kBanks>();
  if (value == 0x7fffffff) *out = value;
}

int main() {
  int* out = device_array<int>(1);
  for (int threads : {1, 32, 64, 128, 256, 1000, 1024}) {
    load<<<1, threads>>>(out);
    launched(("load_" + std::to_string(threads)).c_str(), threads);
  }
  for (int threads : {1, 2, 3, 4, 8, 16, 24, 32}) {
    conflicts<<<1, threads>>>(out);
    launched(("conflicts_" + std::to_string(threads)).c_str(), threads);
  }
}
