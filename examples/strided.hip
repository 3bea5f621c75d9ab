// strided [elements] [stride]: copy with neighbouring lanes `stride` elements apart.
// Lesson: a wave that reads 64 consecutive floats needs two cache lines of 128 bytes; with a stride
// of 32 floats every lane needs a line of its own, and most of what is fetched is thrown away.
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

__global__ void copy_strided(const float* in, float* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // A permutation of 0 .. n-1, as n is a multiple of the stride.
  const int columns = n / stride;
  const int at = i % columns * stride + i / columns;
  out[at] = in[at] + 1.0f;
}

int main(int argc, char** argv) {
  const int stride = argc > 2 ? std::atoi(argv[2]) : 32;
  const int n = (argc > 1 ? std::atoi(argv[1]) : 65536) / stride * stride;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i;

  const size_t bytes = n * sizeof(float);
  float *din, *dout;
  HIP_CHECK(hipMalloc(&din, bytes));
  HIP_CHECK(hipMalloc(&dout, bytes));
  HIP_CHECK(hipMemcpy(din, in.data(), bytes, hipMemcpyHostToDevice));
  int wrong = 0;
  for (int step : {1, stride}) {
    HIP_CHECK(hipMemset(dout, 0, bytes));
    copy_strided<<<(n + 255) / 256, 256>>>(din, dout, n, step);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(out.data(), dout, bytes, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += out[i] != in[i] + 1.0f;
  }
  HIP_CHECK(hipFree(din));
  HIP_CHECK(hipFree(dout));
  std::printf("%s strided: %d elements, stride %d, %d wrong\n", wrong ? "FAIL" : "PASS", n, stride,
              wrong);
  return wrong != 0;
}
