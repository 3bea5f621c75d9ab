// What the examples of this folder share. Data is made on the GPU and only a sample comes back, so
// that copies do not hide the lesson.
#pragma once
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

template <typename T>
T* device_array(size_t count) {
  T* data = nullptr;
  HIP_CHECK(hipMalloc(&data, count * sizeof(T)));
  return data;
}

// `count` elements from the device, after everything before has ended.
template <typename T>
std::vector<T> sample(const T* data, size_t count) {
  std::vector<T> host(count);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(host.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
  return host;
}

inline int report(const char* name, int wrong) {
  std::printf("%s %s: %d wrong\n", wrong ? "FAIL" : "PASS", name, wrong);
  return wrong != 0;
}
