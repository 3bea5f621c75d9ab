// pointer_chase [elements] [steps]: every load gives the address of the next one.
// Lesson: one lane, one load in flight. The time per step is the latency of the level of memory
// that holds the array; more bandwidth does not help.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define HIP_CHECK(call)                                                                     \
  do {                                                                                      \
    const hipError_t status_ = (call);                                                      \
    if (status_ != hipSuccess) {                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status_));  \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__global__ void chase(const unsigned int* next, unsigned int* last, long long* cycles, int steps) {
  unsigned int at = 0;
  const long long begin = clock64();
  for (int i = 0; i < steps; ++i) at = next[at];
  *last = at;
  *cycles = clock64() - begin;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 4096;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 2048;
  // One cycle through all elements, far apart from each other (Sattolo's shuffle).
  std::vector<unsigned int> next(n);
  for (int i = 0; i < n; ++i) next[i] = i;
  unsigned int random = 12345;
  for (int i = n - 1; i > 0; --i) {
    random = random * 1664525u + 1013904223u;
    std::swap(next[i], next[(random >> 8) % i]);
  }

  unsigned int *dnext, *dlast, last = 0, expected = 0;
  long long *dcycles, cycles = 0;
  HIP_CHECK(hipMalloc(&dnext, n * sizeof(unsigned int)));
  HIP_CHECK(hipMalloc(&dlast, sizeof(last)));
  HIP_CHECK(hipMalloc(&dcycles, sizeof(cycles)));
  HIP_CHECK(hipMemcpy(dnext, next.data(), n * sizeof(unsigned int), hipMemcpyHostToDevice));
  chase<<<1, 1>>>(dnext, dlast, dcycles, steps);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(&last, dlast, sizeof(last), hipMemcpyDeviceToHost));
  HIP_CHECK(hipMemcpy(&cycles, dcycles, sizeof(cycles), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(dnext));
  HIP_CHECK(hipFree(dlast));
  HIP_CHECK(hipFree(dcycles));

  for (int i = 0; i < steps; ++i) expected = next[expected];
  const bool good = last == expected && cycles >= 0;
  std::printf("%s pointer_chase: %d steps, %.1f cycles each\n", good ? "PASS" : "FAIL", steps,
              static_cast<double>(cycles) / steps);
  return !good;
}
