// histogram [elements]: how often each byte value occurs, counted two ways.
// Lesson: atomics on a few addresses in global memory queue up; a private histogram per block in
// shared memory takes the traffic, and only its totals go to global memory.
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

constexpr int kBins = 256, kThreads = 256;

__global__ void histogram_global(const unsigned char* in, unsigned int* bins, int n) {
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    atomicAdd(&bins[in[i]], 1u);
}

__global__ void histogram_shared(const unsigned char* in, unsigned int* bins, int n) {
  __shared__ unsigned int mine[kBins];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 65536;
  std::vector<unsigned char> values(n);
  std::vector<unsigned int> expected(kBins), counted(kBins);
  // Uneven on purpose: low values are frequent.
  for (int i = 0; i < n; ++i) {
    values[i] = (i * 2654435761u >> 24) & (i % 3 ? 15 : 255);
    ++expected[values[i]];
  }

  const size_t bytes = kBins * sizeof(unsigned int);
  unsigned char* in;
  unsigned int* bins;
  HIP_CHECK(hipMalloc(&in, n));
  HIP_CHECK(hipMalloc(&bins, bytes));
  HIP_CHECK(hipMemcpy(in, values.data(), n, hipMemcpyHostToDevice));
  int wrong = 0;
  for (auto kernel : {histogram_global, histogram_shared}) {
    HIP_CHECK(hipMemset(bins, 0, bytes));
    kernel<<<16, kThreads>>>(in, bins, n);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(counted.data(), bins, bytes, hipMemcpyDeviceToHost));
    for (int i = 0; i < kBins; ++i) wrong += counted[i] != expected[i];
  }
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(bins));
  std::printf("%s histogram: %d values, %d wrong bins\n", wrong ? "FAIL" : "PASS", n, wrong);
  return wrong != 0;
}
