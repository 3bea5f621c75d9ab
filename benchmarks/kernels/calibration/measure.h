// What the calibration programs share. A program launches kernels and prints one line per launch,
// in launch order: a name and the amount of work (bytes, operations, steps) that the launch does.
// Kernels named prepare_* are not measured and have no line. The profiler supplies the times and
// counters. A wrong result or a failed call ends the program with exit code 1.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

inline void require(hipError_t status, const char* what) {
  if (status == hipSuccess) return;
  std::fprintf(stderr, "failed: %s: %s\n", what, hipGetErrorString(status));
  std::exit(1);
}

#define CHECK(call) require(call, #call)

// Call after each measured launch.
inline void launched(const char* name, double work) {
  CHECK(hipGetLastError());
  CHECK(hipDeviceSynchronize());
  std::printf("%s %.17g\n", name, work);
}

#include "../../../src/rocm_perf_lab/selftest/data/arrays.h"

// Where a shared variable lies in the LDS, for instructions that are written out. It also keeps the
// compiler from removing the variable.
template <class T>
__device__ unsigned lds_address(T* shared) {
  return static_cast<unsigned>(
      reinterpret_cast<size_t>((__attribute__((address_space(3))) T*)shared));
}
