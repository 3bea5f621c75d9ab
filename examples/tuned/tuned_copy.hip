// tuned_copy [elements]: copies an array, 16 bytes per access, with enough threads for all of it.
// Lesson: there is nothing left to gain; an optimizer has to say so.
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

__global__ void copy(const float4* __restrict__ in, float4* __restrict__ out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) out[i] = in[i];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 22;  // a multiple of 4
  std::vector<float> values(n), result(n);
  for (int i = 0; i < n; ++i) values[i] = i * 0.5f;

  const size_t bytes = n * sizeof(float);
  float *in, *out;
  HIP_CHECK(hipMalloc(&in, bytes));
  HIP_CHECK(hipMalloc(&out, bytes));
  HIP_CHECK(hipMemcpy(in, values.data(), bytes, hipMemcpyHostToDevice));
  copy<<<(n / 4 + kThreads - 1) / kThreads, kThreads>>>(reinterpret_cast<float4*>(in),
                                                         reinterpret_cast<float4*>(out), n / 4);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(result.data(), out, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += result[i] != values[i];
  std::printf("%s tuned_copy: %d elements, %d wrong\n", wrong ? "FAIL" : "PASS", n, wrong);
  return wrong != 0;
}
