// invariant_recomputed [rows] [columns]: each row decays by its own rate and age.
// Lesson: the factor of a row is computed again for every element. The compiler cannot take it out
// of the loop: for all it knows, the store to out changes rates or ages.
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

__global__ void decay(const float* in, const float* rates, const float* ages, float* out,
                      int columns) {
  const int row = blockIdx.x;
  for (int j = threadIdx.x; j < columns; j += blockDim.x)
    out[row * columns + j] = in[row * columns + j] * powf(rates[row], ages[row]);
}

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 1024;
  const int columns = argc > 2 ? std::atoi(argv[2]) : 4096;
  const size_t n = size_t(rows) * columns;
  std::vector<float> values(n), rates(rows), ages(rows), result(n);
  for (size_t i = 0; i < n; ++i) values[i] = 1.0f + i % 100;
  for (int row = 0; row < rows; ++row) rates[row] = 0.5f + row * 0.0004f, ages[row] = row % 7;

  float *in, *rate, *age, *out;
  HIP_CHECK(hipMalloc(&in, n * sizeof(float)));
  HIP_CHECK(hipMalloc(&rate, rows * sizeof(float)));
  HIP_CHECK(hipMalloc(&age, rows * sizeof(float)));
  HIP_CHECK(hipMalloc(&out, n * sizeof(float)));
  HIP_CHECK(hipMemcpy(in, values.data(), n * sizeof(float), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(rate, rates.data(), rows * sizeof(float), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(age, ages.data(), rows * sizeof(float), hipMemcpyHostToDevice));
  decay<<<rows, kThreads>>>(in, rate, age, out, columns);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(result.data(), out, n * sizeof(float), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(rate));
  HIP_CHECK(hipFree(age));
  HIP_CHECK(hipFree(out));

  int wrong = 0;
  for (int row = 0; row < rows; ++row) {
    const float factor = std::pow(rates[row], ages[row]);
    for (int j = 0; j < columns; ++j) {
      const float expected = values[size_t(row) * columns + j] * factor;
      wrong += !(std::fabs(result[size_t(row) * columns + j] - expected) <= 1e-5f * expected);
    }
  }
  std::printf("%s invariant_recomputed: %d x %d, %d wrong\n", wrong ? "FAIL" : "PASS", rows, columns,
              wrong);
  return wrong != 0;
}
