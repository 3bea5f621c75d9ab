// tile_loop [size]: a product in tiles that are read, waited for, and then worked on.
// Lesson: while the block works on a tile, nobody reads. What the next tile needs can be on its way.
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

constexpr int kTile = 16;

__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0.0f;
  for (int first = 0; first < n; first += kTile) {
    tile_a[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0.0f;
    tile_b[y][x] = column < n && first + y < n ? b[(first + y) * n + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 200;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = i % 7, b[i] = i % 5;
  const size_t bytes = a.size() * sizeof(float);
  float *da, *db, *dc;
  HIP_CHECK(hipMalloc(&da, bytes));
  HIP_CHECK(hipMalloc(&db, bytes));
  HIP_CHECK(hipMalloc(&dc, bytes));
  HIP_CHECK(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
  const int blocks = (n + kTile - 1) / kTile;
  product<<<dim3(blocks, blocks), dim3(kTile, kTile)>>>(da, db, dc, n);
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
  std::printf("%s tile_loop: %d x %d, %d wrong\n", wrong ? "FAIL" : "PASS", n, n, wrong);
  return wrong != 0;
}
