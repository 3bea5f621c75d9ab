// unbounded_registers [threads]: 160 values alive at a time, in blocks of 256 threads.
// Lesson: without launch bounds the compiler leaves room for blocks of 1024 threads, 128 registers
// each. What does not fit goes to scratch memory, though these blocks leave room for it.
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

constexpr int kValues = 160;

__global__ void mixed(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float values[kValues];
#pragma unroll
  for (int k = 0; k < kValues; ++k) values[k] = in[(i + k * 37) % n];
  // Values from far apart meet, so all of them have to stay alive.
#pragma unroll
  for (int k = 0; k < kValues; ++k) values[k] += values[(k * 29 + 1) % kValues] * 0.5f;
  float sum = 0.0f;
#pragma unroll
  for (int k = kValues - 1; k >= 0; --k) sum = sum * 0.5f + values[k];
  out[i] = sum;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 16384;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i % 13 * 0.25f;
  const size_t bytes = n * sizeof(float);
  float *din, *dout;
  HIP_CHECK(hipMalloc(&din, bytes));
  HIP_CHECK(hipMalloc(&dout, bytes));
  HIP_CHECK(hipMemcpy(din, in.data(), bytes, hipMemcpyHostToDevice));
  mixed<<<(n + 255) / 256, 256>>>(din, dout, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(out.data(), dout, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(din));
  HIP_CHECK(hipFree(dout));
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    double values[kValues], sum = 0.0;
    for (int k = 0; k < kValues; ++k) values[k] = in[(i + k * 37) % n];
    for (int k = 0; k < kValues; ++k) values[k] += values[(k * 29 + 1) % kValues] * 0.5;
    for (int k = kValues - 1; k >= 0; --k) sum = sum * 0.5 + values[k];
    wrong += std::fabs(out[i] - sum) > 1e-4 * std::fabs(sum) + 1e-4;
  }
  std::printf("%s unbounded_registers: %d threads, %d wrong\n", wrong ? "FAIL" : "PASS", n, wrong);
  return wrong != 0;
}
