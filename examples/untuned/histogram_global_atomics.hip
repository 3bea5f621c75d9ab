// histogram_global_atomics [elements]: how often each byte value occurs.
// Lesson: every value is an atomic addition in global memory, and all of them meet in 256 words.
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

constexpr int kBins = 256, kThreads = 256, kBlocks = 304;

__global__ void histogram(const unsigned char* in, unsigned int* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i]], 1u);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000000;
  std::vector<unsigned char> values(n);
  std::vector<unsigned int> expected(kBins), counted(kBins);
  // Uneven as in a dark picture: low values are frequent.
  for (int i = 0; i < n; ++i) {
    values[i] = (i * 2654435761u >> 24) & (i % 3 ? 63 : 255);
    ++expected[values[i]];
  }

  const size_t bytes = kBins * sizeof(unsigned int);
  unsigned char* in;
  unsigned int* bins;
  HIP_CHECK(hipMalloc(&in, n));
  HIP_CHECK(hipMalloc(&bins, bytes));
  HIP_CHECK(hipMemcpy(in, values.data(), n, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemset(bins, 0, bytes));
  histogram<<<kBlocks, kThreads>>>(in, bins, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(counted.data(), bins, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(bins));
  int wrong = 0;
  for (int i = 0; i < kBins; ++i) wrong += counted[i] != expected[i];
  std::printf("%s histogram_global_atomics: %d values, %d wrong bins\n", wrong ? "FAIL" : "PASS", n,
              wrong);
  return wrong != 0;
}
