// Launches whose workgroups, on all XCDs, use the same few lines; the test reads the times from the
// recording. Additions first: by so many waves, each 64 times, all to one address, then each lane to
// its own one of 16 lines, then of system scope and each to its own line. Then reads of 192 KB by many small workgroups.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call) \
  if (hipError_t status = (call)) std::printf("%s\n", hipGetErrorString(status)), std::exit(1)

__global__ void add(unsigned* table, unsigned mask) {   // not known to be the same for all lanes
  unsigned* mine = table + (threadIdx.x * 8 & mask);
  for (int n = 0; n < 64; ++n)
    __hip_atomic_fetch_add(mine, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

__global__ void add_for_host(unsigned* table) {   // a line for each lane
  unsigned* mine = table + (blockIdx.x * 64 + threadIdx.x) * 32;
  for (int n = 0; n < 64; ++n) atomicAdd_system(mine, 1u);
}

__global__ void read(const double* from, int count, double* out) {
  double value = from[(blockIdx.x * 64 + threadIdx.x) % unsigned(count)];
  if (value == 1.5) *out = value;
}

int main() {
  unsigned* memory = nullptr;
  CHECK(hipMalloc(&memory, 1 << 20));
  CHECK(hipMemset(memory, 0, 1 << 20));
  for (unsigned mask : {0u, ~0u})
    for (unsigned waves : {8u, 64u, 256u}) {
      add<<<waves, 64>>>(memory, mask);
      CHECK(hipDeviceSynchronize());   // nobody hands over to the next one
    }
  for (unsigned waves : {1u, 64u}) {
    add_for_host<<<waves, 64>>>(memory);
    CHECK(hipDeviceSynchronize());
  }
  const double* from = reinterpret_cast<const double*>(memory);
  constexpr unsigned kRound = 608, kHalfOfLds = 32768;   // two workgroups on each CU
  for (unsigned rounds : {1u, 51u})
    read<<<rounds * kRound, 64, kHalfOfLds>>>(from, 24576,
                                              reinterpret_cast<double*>(memory + (1 << 17)));
  CHECK(hipDeviceSynchronize());
  std::puts("done");
}
