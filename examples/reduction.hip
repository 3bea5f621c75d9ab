// reduction [elements]: the sum of an array.
// Lesson: lanes of a wave exchange registers with shuffles; only one value per wave passes through
// shared memory, and only one per block reaches an atomic.
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

constexpr int kThreads = 256;
constexpr int kWaves = kThreads / 64;

__device__ int wave_sum(int value) {
  for (int distance = 32; distance > 0; distance /= 2) value += __shfl_down(value, distance);
  return value;
}

__global__ void reduce(const int* in, int* sum, int n) {
  __shared__ int of_wave[kWaves];
  int mine = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) mine += in[i];
  mine = wave_sum(mine);
  if (threadIdx.x % 64 == 0) of_wave[threadIdx.x / 64] = mine;
  __syncthreads();
  if (threadIdx.x < 64) {
    mine = wave_sum(threadIdx.x < kWaves ? of_wave[threadIdx.x] : 0);
    if (threadIdx.x == 0) atomicAdd(sum, mine);
  }
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100000;
  std::vector<int> values(n);
  long long expected = 0;
  for (int i = 0; i < n; ++i) expected += values[i] = i % 17 - 8;

  int *in, *sum, result = 0;
  HIP_CHECK(hipMalloc(&in, n * sizeof(int)));
  HIP_CHECK(hipMalloc(&sum, sizeof(int)));
  HIP_CHECK(hipMemcpy(in, values.data(), n * sizeof(int), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemset(sum, 0, sizeof(int)));
  reduce<<<32, kThreads>>>(in, sum, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(&result, sum, sizeof(int), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(sum));

  const bool good = result == static_cast<int>(expected);
  std::printf("%s reduction: %d, expected %lld\n", good ? "PASS" : "FAIL", result, expected);
  return !good;
}
