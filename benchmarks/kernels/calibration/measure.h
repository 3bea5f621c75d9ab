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

template <class T>
T* device_array(size_t count) {
  T* memory = nullptr;
  CHECK(hipMalloc(&memory, count * sizeof(T)));
  CHECK(hipMemset(memory, 0, count * sizeof(T)));
  return memory;
}

template <class T>
T* device_copy(const std::vector<T>& values) {
  T* memory = nullptr;
  CHECK(hipMalloc(&memory, values.size() * sizeof(T)));
  CHECK(hipMemcpy(memory, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
  return memory;
}

template <class T>
std::vector<T> host_copy(const T* memory, size_t count) {
  std::vector<T> values(count);
  CHECK(hipMemcpy(values.data(), memory, count * sizeof(T), hipMemcpyDeviceToHost));
  return values;
}

// Where a shared variable lies in the LDS, for instructions that are written out. It also keeps the
// compiler from removing the variable.
template <class T>
__device__ unsigned lds_address(T* shared) {
  return static_cast<unsigned>(
      reinterpret_cast<size_t>((__attribute__((address_space(3))) T*)shared));
}
