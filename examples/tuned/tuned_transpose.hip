// tuned_transpose [size]: a matrix is transposed through tiles in shared memory.
// Lesson: there is nothing left to do. Global memory is read and written in order, all loads of a
// thread are under way together, and the padded tile spreads its columns over the banks.
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

constexpr int kTile = 32, kRows = 8, kSteps = kTile / kRows;

__global__ void __launch_bounds__(kTile* kRows)
    transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const float* from = in + (blockIdx.y * kTile + y) * n + blockIdx.x * kTile + x;
  float* to = out + (blockIdx.x * kTile + y) * n + blockIdx.y * kTile + x;
  float loaded[kSteps];
#pragma unroll
  for (int i = 0; i < kSteps; ++i) loaded[i] = from[i * kRows * n];
#pragma unroll
  for (int i = 0; i < kSteps; ++i) tile[y + i * kRows][x] = loaded[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kSteps; ++i) to[i * kRows * n] = tile[x][y + i * kRows];
}

int main(int argc, char** argv) {
  const int n = (argc > 1 ? std::atoi(argv[1]) : 2048) / kTile * kTile;
  std::vector<float> in(n * n), out(n * n);
  for (int i = 0; i < n * n; ++i) in[i] = i;

  const size_t bytes = in.size() * sizeof(float);
  float *din, *dout;
  HIP_CHECK(hipMalloc(&din, bytes));
  HIP_CHECK(hipMalloc(&dout, bytes));
  HIP_CHECK(hipMemcpy(din, in.data(), bytes, hipMemcpyHostToDevice));
  transpose<<<dim3(n / kTile, n / kTile), dim3(kTile, kRows)>>>(din, dout, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(out.data(), dout, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(din));
  HIP_CHECK(hipFree(dout));
  int wrong = 0;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) wrong += out[x * n + y] != in[y * n + x];
  std::printf("%s tuned_transpose: %d x %d, %d wrong\n", wrong ? "FAIL" : "PASS", n, n, wrong);
  return wrong != 0;
}
