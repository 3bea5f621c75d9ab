// transpose [size]: two ways to transpose a matrix through shared memory.
// Lesson: in the first kernel all lanes of a column hit the same bank of shared memory; one word of
// padding per row in the second spreads them over all banks. The result is the same.
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

template <int padding>
__device__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile + padding];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
  for (int i = ty; i < kTile; i += kRows) tile[i][tx] = in[(top + i) * n + left + tx];
  __syncthreads();
  for (int i = ty; i < kTile; i += kRows) out[(left + i) * n + top + tx] = tile[tx][i];
}

__global__ void transpose_conflicts(const float* in, float* out, int n) {
  transpose_tile<0>(in, out, n);
}
__global__ void transpose_padded(const float* in, float* out, int n) {
  transpose_tile<1>(in, out, n);
}

int main(int argc, char** argv) {
  const int n = (argc > 1 ? std::atoi(argv[1]) : 256) / kTile * kTile;
  std::vector<float> in(n * n), out(n * n);
  for (int i = 0; i < n * n; ++i) in[i] = i;

  const size_t bytes = in.size() * sizeof(float);
  float *din, *dout;
  HIP_CHECK(hipMalloc(&din, bytes));
  HIP_CHECK(hipMalloc(&dout, bytes));
  HIP_CHECK(hipMemcpy(din, in.data(), bytes, hipMemcpyHostToDevice));
  const dim3 blocks(n / kTile, n / kTile), threads(kTile, kRows);
  int wrong = 0;
  for (auto kernel : {transpose_conflicts, transpose_padded}) {
    HIP_CHECK(hipMemset(dout, 0, bytes));
    kernel<<<blocks, threads>>>(din, dout, n);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(out.data(), dout, bytes, hipMemcpyDeviceToHost));
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) wrong += out[x * n + y] != in[y * n + x];
  }
  HIP_CHECK(hipFree(din));
  HIP_CHECK(hipFree(dout));
  std::printf("%s transpose: %d x %d twice, %d wrong\n", wrong ? "FAIL" : "PASS", n, n, wrong);
  return wrong != 0;
}
