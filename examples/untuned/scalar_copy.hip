// scalar_copy [elements]: copies an array.
// Lesson: every load moves 4 bytes of a lane and every store waits for its load. The same loop with
// 16 bytes per access has a quarter of the instructions and of the waiting.
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

constexpr int kThreads = 256, kBlocks = 304;

__global__ void copy(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 22;
  std::vector<float> values(n), result(n);
  for (int i = 0; i < n; ++i) values[i] = i * 0.5f;

  const size_t bytes = n * sizeof(float);
  float *in, *out;
  HIP_CHECK(hipMalloc(&in, bytes));
  HIP_CHECK(hipMalloc(&out, bytes));
  HIP_CHECK(hipMemcpy(in, values.data(), bytes, hipMemcpyHostToDevice));
  copy<<<kBlocks, kThreads>>>(in, out, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(result.data(), out, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += result[i] != values[i];
  std::printf("%s scalar_copy: %d elements, %d wrong\n", wrong ? "FAIL" : "PASS", n, wrong);
  return wrong != 0;
}
