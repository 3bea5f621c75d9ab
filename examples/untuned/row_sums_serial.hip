// row_sums_serial [rows] [columns]: every thread adds up one row.
// Lesson: it is a loop over the columns as one writes it for a CPU. The lanes of a wave read a
// whole row apart: each load touches 64 cache lines and uses 4 bytes of each.
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

__global__ void row_sums(const float* in, float* sums, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += in[row * columns + c];
  sums[row] = sum;
}

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 65536;
  const int columns = argc > 2 ? std::atoi(argv[2]) : 128;
  const size_t n = size_t(rows) * columns;
  std::vector<float> values(n), sums(rows);
  for (size_t i = 0; i < n; ++i) values[i] = i % 1000 * 0.125f;

  const size_t bytes = n * sizeof(float);
  float *in, *out;
  HIP_CHECK(hipMalloc(&in, bytes));
  HIP_CHECK(hipMalloc(&out, rows * sizeof(float)));
  HIP_CHECK(hipMemcpy(in, values.data(), bytes, hipMemcpyHostToDevice));
  row_sums<<<(rows + kThreads - 1) / kThreads, kThreads>>>(in, out, rows, columns);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(sums.data(), out, rows * sizeof(float), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    float sum = 0.0f;
    for (int c = 0; c < columns; ++c) sum += values[size_t(r) * columns + c];
    wrong += sums[r] != sum;
  }
  std::printf("%s row_sums_serial: %d rows of %d, %d wrong\n", wrong ? "FAIL" : "PASS", rows,
              columns, wrong);
  return wrong != 0;
}
