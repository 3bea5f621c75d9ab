// What the programs of this folder share.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    hipError_t status = (call);                                            \
    if (status != hipSuccess) {                                            \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status));  \
      std::exit(3);                                                        \
    }                                                                      \
  } while (0)

template <typename T>
T* device_memory(size_t count) {
  T* memory = nullptr;
  CHECK(hipMalloc(&memory, count * sizeof(T)));
  return memory;
}

template <typename T>
void print(const char* what, const T* memory, size_t count) {
  std::vector<T> host(count);
  CHECK(hipDeviceSynchronize());
  CHECK(hipMemcpy(host.data(), memory, count * sizeof(T), hipMemcpyDefault));
  unsigned long long sum = 0;
  for (size_t i = 0; i < count; ++i) sum = sum * 31 + static_cast<unsigned long long>(host[i]);
  std::printf("%s %llx\n", what, sum);
}
