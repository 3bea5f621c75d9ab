// bounds_check_inner_loop [samples] [radius]: the moving average of a signal.
// Lesson: every step of the window asks whether it is still inside of the signal, although only the
// windows at both ends ever leave it. The branch keeps the loads from being under way together.
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

__global__ void moving_average(const float* in, float* out, int n, int radius) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int d = -radius; d <= radius; ++d) {
    if (i + d >= 0 && i + d < n) sum += in[i + d];
  }
  out[i] = sum / (2 * radius + 1);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 65536;
  const int radius = argc > 2 ? std::atoi(argv[2]) : 64;
  std::vector<float> values(n), result(n);
  for (int i = 0; i < n; ++i) values[i] = i % 32;

  const size_t bytes = n * sizeof(float);
  float *in, *out;
  HIP_CHECK(hipMalloc(&in, bytes));
  HIP_CHECK(hipMalloc(&out, bytes));
  HIP_CHECK(hipMemcpy(in, values.data(), bytes, hipMemcpyHostToDevice));
  moving_average<<<(n + kThreads - 1) / kThreads, kThreads>>>(in, out, n, radius);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(result.data(), out, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;  // of small whole numbers: exact in any order
    for (int j = i - radius; j <= i + radius; ++j) sum += j >= 0 && j < n ? values[j] : 0.0f;
    wrong += !(std::fabs(result[i] - sum / (2 * radius + 1)) <= 1e-5f * sum);
  }
  std::printf("%s bounds_check_inner_loop: %d samples, %d wrong\n", wrong ? "FAIL" : "PASS", n, wrong);
  return wrong != 0;
}
