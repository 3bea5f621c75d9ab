// Dependent reads of the LDS and of the scalar cache by one wave: addresses that lead to themselves.
// Three launches each; the difference of the last two is the time of the steps.
#include "measure.h"

constexpr int kUnroll = 16;

__global__ void chase_lds(int passes, unsigned* out) {
  __shared__ unsigned chain[64];
  chain[threadIdx.x] = lds_address(chain);
  __syncthreads();
  unsigned at = lds_address(chain);
  for (int pass = 0; pass < passes; ++pass)
#pragma unroll
    for (int step = 0; step < kUnroll; ++step)
      asm volatile("ds_read_b32 %0, %0\n s_waitcnt lgkmcnt(0)" : "+v"(at)::"memory");
  *out = at;
}

__global__ void chase_scalar(const void* self, int passes, unsigned long long* out) {
  unsigned long long at = reinterpret_cast<unsigned long long>(self);
  for (int pass = 0; pass < passes; ++pass)
#pragma unroll
    for (int step = 0; step < kUnroll; ++step)
      asm volatile("s_load_dwordx2 %0, %0, 0x0\n s_waitcnt lgkmcnt(0)" : "+s"(at));
  *out = at;
}

int main() {
  unsigned* out = device_array<unsigned>(1);
  auto* place = device_array<unsigned long long>(1);
  auto* link = device_array<void*>(1);
  CHECK(hipMemcpy(link, &link, sizeof link, hipMemcpyHostToDevice));
  for (int passes : {128, 128, 256}) {
    chase_lds<<<1, 64>>>(passes, out);
    launched("chase_lds", double(passes) * kUnroll);
  }
  require(host_copy(out, 1)[0] == 0, "the first LDS address is 0 and points to itself");
  for (int passes : {128, 128, 256}) {
    chase_scalar<<<1, 64>>>(link, passes, place);
    launched("chase_scalar", double(passes) * kUnroll);
  }
  require(host_copy(place, 1)[0] == reinterpret_cast<unsigned long long>(link), "it points to itself");
}
