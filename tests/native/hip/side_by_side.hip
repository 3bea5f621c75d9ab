// What XCDs of one dispatch share while they are simulated: each kernel runs twice, the second time on
// memory that the first one has touched.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call) \
  if (hipError_t status = (call)) std::printf("%s\n", hipGetErrorString(status)), std::exit(1)

constexpr unsigned kGroups = 96, kBlock = 128, kLoads = 24;
constexpr size_t kBytes = size_t(96) << 20;  // more large pages than a translation cache has

__global__ void copy(const float* from, float* to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned n = 0; n < kLoads; ++n) to[i + n * 65536] = from[i + n * 65536];
}

// Waves find different pages, which others have just used.
__global__ void gather(const float* from, float* to, unsigned mask) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned h = i / 64 * 2654435761u;
  float sum = 0;
  for (unsigned n = 0; n < kLoads; ++n) {
    h ^= h << 13, h ^= h >> 17, h ^= h << 5;
    sum += from[((h >> 4) & mask) + threadIdx.x % 4 * 4096];
  }
  to[i] = sum;
}

__global__ void add(float* to) {
  for (unsigned n = 0; n < 4; ++n) atomicAdd(to + n * 32 + threadIdx.x % 2, 1.0f);
}

// An array that is indexed by what is loaded is in private memory.
__global__ void spill(const float* from, float* to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float own[40];
  for (unsigned n = 0; n < 40; ++n) own[n] = from[i] + n;
  float sum = 0;
  for (unsigned n = 0; n < kLoads; ++n) sum += own[(unsigned(from[n]) + n * 7) % 40];
  to[i] = sum;
}

int main() {
  float *from, *to;
  CHECK(hipMalloc(&from, kBytes + 65536));
  CHECK(hipMalloc(&to, kBytes));
  CHECK(hipMemset(from, 0, 1 << 20));
  for (int launch = 0; launch < 2; ++launch) {
    copy<<<kGroups, kBlock>>>(from, to);
    gather<<<kGroups, kBlock>>>(from, to, unsigned(kBytes / sizeof(float) - 1) >> 1);
    gather<<<kGroups, kBlock>>>(from, to, (1u << 18) - 1);
    add<<<kGroups, kBlock>>>(to);
    spill<<<kGroups, kBlock>>>(from, to);
  }
  CHECK(hipDeviceSynchronize());
  std::puts("done");
}
