// naive_product [size]: a product of square matrices, one thread for each element.
// Lesson: every thread of a row reads the same elements of the left matrix, every thread of a column
// the same of the right one. Through LDS a block reads them once.
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

constexpr int kBlock = 16;

__global__ void product(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
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
  const int blocks = (n + kBlock - 1) / kBlock;
  product<<<dim3(blocks, blocks), dim3(kBlock, kBlock)>>>(da, db, dc, n);
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
  std::printf("%s naive_product: %d x %d, %d wrong\n", wrong ? "FAIL" : "PASS", n, n, wrong);
  return wrong != 0;
}
