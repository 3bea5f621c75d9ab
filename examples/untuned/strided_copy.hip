// strided_copy [elements]: scales an array; every thread takes 32 neighbouring elements.
// Lesson: it is how one splits work among the threads of a CPU. Here the lanes of a wave are 128
// bytes apart, each in a cache line of its own, in every step of the loop.
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

constexpr int kThreads = 256, kPerThread = 32;

__global__ void scale(const float* in, float* out, float factor, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int begin = thread * kPerThread;
  for (int i = 0; i < kPerThread; ++i) {
    const int at = begin + i;
    if (at < n) out[at] = factor * in[at];
  }
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 4000000;
  std::vector<float> values(n), scaled(n);
  for (int i = 0; i < n; ++i) values[i] = i % 1000;

  const size_t bytes = n * sizeof(float);
  float *in, *out;
  HIP_CHECK(hipMalloc(&in, bytes));
  HIP_CHECK(hipMalloc(&out, bytes));
  HIP_CHECK(hipMemcpy(in, values.data(), bytes, hipMemcpyHostToDevice));
  const int threads = (n + kPerThread - 1) / kPerThread;
  scale<<<(threads + kThreads - 1) / kThreads, kThreads>>>(in, out, 0.5f, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(scaled.data(), out, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += scaled[i] != 0.5f * values[i];
  std::printf("%s strided_copy: %d elements, %d wrong\n", wrong ? "FAIL" : "PASS", n, wrong);
  return wrong != 0;
}
