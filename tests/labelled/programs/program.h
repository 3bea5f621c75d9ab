// What the programs of this folder share. `./program LETTER 0` is the slow one of a pair and
// `./program LETTER 1` the mended one; with `check` both print the same sum of all results, else
// hardly anything is copied.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#define HIP_CHECK(call)                                                                     \
  do {                                                                                      \
    const hipError_t status_ = (call);                                                      \
    if (status_ != hipSuccess) {                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status_));  \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

// Filled with bytes of one value, so that data is the same however it is laid out.
template <typename T>
T* filled(size_t count, int byte) {
  T* data = nullptr;
  HIP_CHECK(hipMalloc(&data, count * sizeof(T)));
  HIP_CHECK(hipMemset(data, byte, count * sizeof(T)));
  return data;
}

inline bool& checks() {
  static bool wanted = false;
  return wanted;
}

// The sum of what the device wrote, after everything before has ended.
template <typename T>
double total(const T* data, size_t count) {
  if (!checks()) count = 16;
  std::vector<T> host(count);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(host.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
  return std::accumulate(host.begin(), host.end(), 0.0);
}

__device__ inline int work_item() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <typename Run>
int chosen(int argc, char** argv, Run run) {
  if (argc < 3) return 2;
  checks() = argc > 3;
  std::printf("%.6g\n", run(argv[1][0], std::atoi(argv[2])));
  return 0;
}

// Launches `kernel<0>` or `kernel<1>`.
#define VARIANT(variant, kernel, ...)        \
  do {                                       \
    if (variant)                             \
      kernel<1> __VA_ARGS__;                 \
    else                                     \
      kernel<0> __VA_ARGS__;                 \
  } while (0)
