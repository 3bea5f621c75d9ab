// block_counters [elements]: every thread adds its element to the sum of its block in memory.
// Lesson: the lanes of a wave go to one address one after the other; the compiler collects them in a
// loop over 64 lanes. A tree of shuffles needs six steps.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                                     \
  do {                                                                                      \
    const hipError_t status_ = (call);                                                      \
    if (status_ != hipSuccess) {                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status_));  \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

constexpr int kBlock = 256;

__global__ void totals(const int* in, int* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&sums[blockIdx.x], in[i] * in[i]);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 200000;
  const int blocks = (n + kBlock - 1) / kBlock;
  std::vector<int> in(n), sums(blocks), expected(blocks);
  for (int i = 0; i < n; ++i) in[i] = i % 11 - 3, expected[i / kBlock] += in[i] * in[i];
  int *din, *dsums;
  HIP_CHECK(hipMalloc(&din, n * sizeof(int)));
  HIP_CHECK(hipMalloc(&dsums, blocks * sizeof(int)));
  HIP_CHECK(hipMemcpy(din, in.data(), n * sizeof(int), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemset(dsums, 0, blocks * sizeof(int)));
  totals<<<blocks, kBlock>>>(din, dsums, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(sums.data(), dsums, blocks * sizeof(int), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(din));
  HIP_CHECK(hipFree(dsums));
  int wrong = 0;
  for (int i = 0; i < blocks; ++i) wrong += sums[i] != expected[i];
  std::printf("%s block_counters: %d blocks, %d wrong\n", wrong ? "FAIL" : "PASS", blocks, wrong);
  return wrong != 0;
}
