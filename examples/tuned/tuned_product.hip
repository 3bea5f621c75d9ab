// tuned_product [size]: a product of square matrices, tiles of 32 x 32 for each block.
// Lesson: there is nothing left to do without matrix instructions. Tiles go through shared memory,
// and each thread keeps 2 x 2 sums in registers, so that a value that is read serves twice.
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

constexpr int kTile = 32, kDepth = 32, kSide = 2, kThreads = 256;
constexpr int kLoads = kTile * kDepth / kThreads;

// n is a multiple of kTile.
__global__ void __launch_bounds__(kThreads)
    product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
            int n) {
  __shared__ float left[kTile][kDepth + 1], right[kDepth][kTile];
  const int t = threadIdx.x, x = t % 16, y = t / 16;
  const float* a_tile = a + blockIdx.y * kTile * n;
  const float* b_tile = b + blockIdx.x * kTile;
  float sums[kSide][kSide] = {};
  for (int k = 0; k < n; k += kDepth) {
    float from_a[kLoads], from_b[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      from_a[i] = a_tile[(t / 32 + 8 * i) * n + k + t % 32];
      from_b[i] = b_tile[(k + t / 32 + 8 * i) * n + t % 32];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      left[t / 32 + 8 * i][t % 32] = from_a[i];
      right[t / 32 + 8 * i][t % 32] = from_b[i];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      float rows[kSide], columns[kSide];
#pragma unroll
      for (int i = 0; i < kSide; ++i) {
        rows[i] = left[y + 16 * i][d];
        columns[i] = right[d][x + 16 * i];
      }
#pragma unroll
      for (int i = 0; i < kSide; ++i)
#pragma unroll
        for (int j = 0; j < kSide; ++j) sums[i][j] += rows[i] * columns[j];
    }
  }
#pragma unroll
  for (int i = 0; i < kSide; ++i)
#pragma unroll
    for (int j = 0; j < kSide; ++j)
      c[(blockIdx.y * kTile + y + 16 * i) * n + blockIdx.x * kTile + x + 16 * j] = sums[i][j];
}

int main(int argc, char** argv) {
  const int n = (argc > 1 ? std::atoi(argv[1]) : 512) / kTile * kTile;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = i % 7, b[i] = i % 5;

  const size_t bytes = a.size() * sizeof(float);
  float *da, *db, *dc;
  HIP_CHECK(hipMalloc(&da, bytes));
  HIP_CHECK(hipMalloc(&db, bytes));
  HIP_CHECK(hipMalloc(&dc, bytes));
  HIP_CHECK(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
  product<<<dim3(n / kTile, n / kTile), kThreads>>>(da, db, dc, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(da));
  HIP_CHECK(hipFree(db));
  HIP_CHECK(hipFree(dc));
  int wrong = 0;
  std::vector<float> line(n);
  for (int i = 0; i < n; ++i) {
    line.assign(n, 0.0f);
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) line[j] += a[i * n + k] * b[k * n + j];
    for (int j = 0; j < n; ++j) wrong += c[i * n + j] != line[j];
  }
  std::printf("%s tuned_product: %d x %d, %d wrong\n", wrong ? "FAIL" : "PASS", n, n, wrong);
  return wrong != 0;
}
