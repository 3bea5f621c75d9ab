// Arrays on the device. Whoever includes this has CHECK.
#pragma once

#include <hip/hip_runtime.h>

#include <vector>

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
