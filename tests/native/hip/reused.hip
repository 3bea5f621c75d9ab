// reused MEGABYTES OFFSET READ: follows a chain of lines, and sums READ megabytes twice, at an
// offset in an allocation of so many; the test reads the times from the recording.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) \
  if (hipError_t status = (call)) std::printf("%s\n", hipGetErrorString(status)), std::exit(1)

constexpr size_t kMegabyte = 1 << 20, kLineWords = 32, kChain = 8 * kMegabyte / 128;

__global__ void sum(const float4* from, size_t count, float* out) {
  float all = 0;
  for (size_t i = size_t(blockIdx.x) * 256 + threadIdx.x; i < count; i += size_t(gridDim.x) * 256) {
    float4 value = from[i];
    all += value.x + value.y + value.z + value.w;
  }
  if (all == 1.5f) *out = all;
}

__global__ void chase(const unsigned* next, unsigned at, int hops, unsigned* out) {
  for (int i = 0; i < hops; ++i) at = next[at];
  *out = at;
}

int main(int, char** arguments) {
  const size_t megabytes = size_t(std::atoi(arguments[1])), offset = size_t(std::atoi(arguments[2]));
  const size_t read = size_t(std::atoi(arguments[3])) * kMegabyte;
  char* memory = nullptr;
  float* out = nullptr;
  CHECK(hipMalloc(&memory, megabytes * kMegabyte));
  CHECK(hipMalloc(&out, 4096));
  char* used = memory + offset * kMegabyte;
  std::vector<unsigned> chain(kChain * kLineWords);   // a step that meets every line of 8 MB once
  for (size_t n = 0; n < kChain; ++n)
    chain[n * kLineWords] = unsigned((n + 24251) % kChain * kLineWords);
  CHECK(hipMemcpy(used, chain.data(), 8 * kMegabyte, hipMemcpyHostToDevice));
  for (int time = 0; time < 2; ++time) {
    sum<<<2432, 256>>>(reinterpret_cast<const float4*>(used), read / 16, out);
    CHECK(hipDeviceSynchronize());   // nobody hands over to the next one
  }
  chase<<<1, 1>>>(reinterpret_cast<const unsigned*>(used), 0, 4000, reinterpret_cast<unsigned*>(out));
  CHECK(hipDeviceSynchronize());
  std::puts("done");
}
