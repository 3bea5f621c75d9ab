// device_printf [threads] [fail]: printf and assert inside a kernel.
// Lesson: what a kernel prints appears when the kernel has ended, record by record; a failing
// assert ends the program. The word "fail" shows that.
#include <hip/hip_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define HIP_CHECK(call)                                                                     \
  do {                                                                                      \
    const hipError_t status_ = (call);                                                      \
    if (status_ != hipSuccess) {                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status_));  \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__global__ void report(int* count, int threads, bool fail) {
  const int i = threadIdx.x;
  assert(!fail || i < threads / 2);
  if (i % 16 == 0) {
    printf("thread %d of %d: %s, square root %.3f\n", i, threads, i ? "later" : "first",
           sqrt(static_cast<double>(i)));
    atomicAdd(count, 1);
  }
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 64;
  const bool fail = argc > 2 && std::strcmp(argv[2], "fail") == 0;
  int *count, printed = 0;
  HIP_CHECK(hipMalloc(&count, sizeof(int)));
  HIP_CHECK(hipMemset(count, 0, sizeof(int)));
  report<<<1, threads>>>(count, threads, fail);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  HIP_CHECK(hipMemcpy(&printed, count, sizeof(int), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(count));
  const bool good = !fail && printed == (threads + 15) / 16;
  std::printf("%s device_printf: %d lines\n", good ? "PASS" : "FAIL", printed);
  return !good;
}
