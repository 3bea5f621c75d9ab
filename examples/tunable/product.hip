// product [size] [threads]: C = A * B for square matrices, every decision left open.
// Lesson: the best tile, unrolling, vector width and block size depend on each other, so that they
// are searched together: rocm-perf autotune, with space.json beside this file.
//
// Compiled in: TILE_M x TILE_N of C per block, VECTOR columns of C per thread and access, UNROLL
// steps of the inner loop. Chosen when it runs: threads per block.
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

#ifndef TILE_M
#define TILE_M 16
#endif
#ifndef TILE_N
#define TILE_N 16
#endif
#ifndef VECTOR
#define VECTOR 1
#endif
#ifndef UNROLL
#define UNROLL 1
#endif

constexpr int kDepth = 16;  // of the tiles of A and B that are in shared memory at a time

struct alignas(VECTOR * sizeof(float)) Vector {
  float at[VECTOR];
};

template <int kThreads>
__global__ __launch_bounds__(kThreads) void product(const float* a, const float* b, float* c,
                                                    int n) {
  constexpr int kAcross = TILE_N / VECTOR;        // threads along a row of the tile
  constexpr int kDown = kThreads / kAcross;       // rows that are worked on side by side
  constexpr int kRows = TILE_M / kDown;           // of C, per thread
  __shared__ float tile_a[TILE_M][kDepth + 1];    // read by column: one more avoids conflicts
  __shared__ Vector tile_b[kDepth][kAcross];
  const int x = threadIdx.x % kAcross, y = threadIdx.x / kAcross;
  const int top = blockIdx.y * TILE_M, left = blockIdx.x * TILE_N;

  Vector sums[kRows] = {};
  for (int first = 0; first < n; first += kDepth) {
    for (int i = threadIdx.x; i < TILE_M * kDepth / VECTOR; i += kThreads) {
      const int row = i * VECTOR / kDepth, column = i * VECTOR % kDepth;
      const Vector some = *reinterpret_cast<const Vector*>(&a[(top + row) * n + first + column]);
      for (int v = 0; v < VECTOR; ++v) tile_a[row][column + v] = some.at[v];
    }
    for (int i = threadIdx.x; i < kDepth * kAcross; i += kThreads) {
      const int row = i / kAcross, column = i % kAcross;
      tile_b[row][column] =
          *reinterpret_cast<const Vector*>(&b[(first + row) * n + left + column * VECTOR]);
    }
    __syncthreads();
#pragma unroll UNROLL
    for (int k = 0; k < kDepth; ++k) {
      const Vector right = tile_b[k][x];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const float factor = tile_a[y + r * kDown][k];
#pragma unroll
        for (int v = 0; v < VECTOR; ++v) sums[r].at[v] += factor * right.at[v];
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < kRows; ++r) {
    const int row = top + y + r * kDown;
    *reinterpret_cast<Vector*>(&c[row * n + left + x * VECTOR]) = sums[r];
  }
}

// Block sizes that do not fit the tile are not compiled; space.json leaves them out.
template <int kThreads>
bool launch(const float* a, const float* b, float* c, int n) {
  if constexpr (TILE_M * TILE_N >= kThreads * VECTOR) {
    product<kThreads><<<dim3(n / TILE_N, n / TILE_M), kThreads>>>(a, b, c, n);
    return true;
  }
  return false;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 128;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 64;
  if (n < 1 || n % TILE_M || n % TILE_N || n % kDepth) {
    std::fprintf(stderr, "the size must be a multiple of the tiles\n");
    return 2;
  }
  std::vector<float> a(n * n), b(n * n), c(n * n);
  // Small whole numbers: every sum is exact, so any order of summation gives the same bits.
  for (int i = 0; i < n * n; ++i) a[i] = i % 7 - 3, b[i] = i % 5 - 2;

  const size_t bytes = a.size() * sizeof(float);
  float *da, *db, *dc;
  HIP_CHECK(hipMalloc(&da, bytes));
  HIP_CHECK(hipMalloc(&db, bytes));
  HIP_CHECK(hipMalloc(&dc, bytes));
  HIP_CHECK(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
  const bool fits = threads == 64    ? launch<64>(da, db, dc, n)
                    : threads == 128 ? launch<128>(da, db, dc, n)
                    : threads == 256 ? launch<256>(da, db, dc, n)
                                     : false;
  if (!fits) {
    std::fprintf(stderr, "%d threads do not fit a tile of %d x %d\n", threads, TILE_M, TILE_N);
    return 2;
  }
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(da));
  HIP_CHECK(hipFree(db));
  HIP_CHECK(hipFree(dc));

  int wrong = 0;
  std::vector<float> row(n);
  for (int i = 0; i < n; ++i) {
    row.assign(n, 0.0f);
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) row[j] += a[i * n + k] * b[k * n + j];
    for (int j = 0; j < n; ++j) wrong += c[i * n + j] != row[j];
  }
  std::printf("%s product: %d x %d, %d wrong\n", wrong ? "FAIL" : "PASS", n, n, wrong);
  return wrong != 0;
}
