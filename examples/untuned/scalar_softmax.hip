// scalar_softmax [rows] [columns]: every thread computes the softmax of one row.
// Lesson: the thread walks along its row three times, so the lanes of a wave are a row apart in
// memory all the time.
#include <hip/hip_runtime.h>

#include <cmath>
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

__global__ void softmax(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;

  float largest = -INFINITY;
  for (int c = 0; c < columns; ++c) largest = fmaxf(largest, in[row * columns + c]);

  float sum = 0.0f;
  for (int c = 0; c < columns; ++c) sum += expf(in[row * columns + c] - largest);

  for (int c = 0; c < columns; ++c)
    out[row * columns + c] = expf(in[row * columns + c] - largest) / sum;
}

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 32768;
  const int columns = argc > 2 ? std::atoi(argv[2]) : 64;
  const size_t n = size_t(rows) * columns;
  std::vector<float> values(n), result(n);
  for (size_t i = 0; i < n; ++i) values[i] = (i * 2654435761u % 1000) * 0.01f;

  const size_t bytes = n * sizeof(float);
  float *in, *out;
  HIP_CHECK(hipMalloc(&in, bytes));
  HIP_CHECK(hipMalloc(&out, bytes));
  HIP_CHECK(hipMemcpy(in, values.data(), bytes, hipMemcpyHostToDevice));
  softmax<<<(rows + kThreads - 1) / kThreads, kThreads>>>(in, out, rows, columns);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(result.data(), out, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    const float* x = &values[size_t(r) * columns];
    double largest = x[0], sum = 0;
    for (int c = 1; c < columns; ++c) largest = std::fmax(largest, x[c]);
    for (int c = 0; c < columns; ++c) sum += std::exp(x[c] - largest);
    for (int c = 0; c < columns; ++c) {
      const double expected = std::exp(x[c] - largest) / sum;
      wrong += std::fabs(result[size_t(r) * columns + c] - expected) > 1e-5 * expected;
    }
  }
  std::printf("%s scalar_softmax: %d rows of %d, %d wrong\n", wrong ? "FAIL" : "PASS", rows,
              columns, wrong);
  return wrong != 0;
}
