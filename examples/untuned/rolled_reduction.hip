// rolled_reduction [elements]: the sum of an array, one partial sum per block.
// Lesson: the loop loads one element, adds it and only then asks for the next. With one block per
// compute unit there are too few loads under way to keep the memory busy.
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

constexpr int kThreads = 256, kBlocks = 304;

__global__ void partial_sums(const int* in, int* sums, int n) {
  __shared__ int tile[kThreads];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = tile[0];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 22;
  std::vector<int> values(n), sums(kBlocks);
  long long expected = 0, result = 0;
  for (int i = 0; i < n; ++i) expected += values[i] = i % 17 - 8;

  int *in, *out;
  HIP_CHECK(hipMalloc(&in, n * sizeof(int)));
  HIP_CHECK(hipMalloc(&out, kBlocks * sizeof(int)));
  HIP_CHECK(hipMemcpy(in, values.data(), n * sizeof(int), hipMemcpyHostToDevice));
  partial_sums<<<kBlocks, kThreads>>>(in, out, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(sums.data(), out, kBlocks * sizeof(int), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));

  for (int sum : sums) result += sum;
  const bool good = result == expected;
  std::printf("%s rolled_reduction: %lld, expected %lld\n", good ? "PASS" : "FAIL", result, expected);
  return !good;
}
