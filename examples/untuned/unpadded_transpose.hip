// unpadded_transpose [size]: a matrix is transposed through tiles in shared memory.
// Lesson: reads and writes of global memory are in order, but a column of the tile lies in one bank
// of shared memory: the lanes of a wave wait for each other.
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

constexpr int kTile = 32, kRows = 8;

__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile];
  const int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
  for (int i = threadIdx.y; i < kTile; i += kRows)
    tile[i][threadIdx.x] = in[(top + i) * n + left + threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.y; i < kTile; i += kRows)
    out[(left + i) * n + top + threadIdx.x] = tile[threadIdx.x][i];
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
  std::printf("%s unpadded_transpose: %d x %d, %d wrong\n", wrong ? "FAIL" : "PASS", n, n, wrong);
  return wrong != 0;
}
