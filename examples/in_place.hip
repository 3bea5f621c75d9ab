// in_place [elements] [steps]: x = a * x + b on one array, several times.
// Lesson: the kernel reads what it overwrites. Whoever runs it twice to time it gets another
// result: its input has to be saved before the first run and restored before every other.
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

__global__ void step(float* x, float a, float b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = a * x[i] + b;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 16384;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 5;
  std::vector<float> x(n), result(n);
  for (int i = 0; i < n; ++i) x[i] = i % 64;

  const size_t bytes = n * sizeof(float);
  float* device;
  HIP_CHECK(hipMalloc(&device, bytes));
  HIP_CHECK(hipMemcpy(device, x.data(), bytes, hipMemcpyHostToDevice));
  // Powers of two and whole numbers: every step is exact.
  for (int i = 0; i < steps; ++i) {
    step<<<(n + 255) / 256, 256>>>(device, 0.5f, 4.0f, n);
    HIP_CHECK(hipGetLastError());
  }
  HIP_CHECK(hipMemcpy(result.data(), device, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(device));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    float expected = x[i];
    for (int k = 0; k < steps; ++k) expected = 0.5f * expected + 4.0f;
    wrong += result[i] != expected;
  }
  std::printf("%s in_place: %d elements, %d steps, %d wrong\n", wrong ? "FAIL" : "PASS", n, steps,
              wrong);
  return wrong != 0;
}
