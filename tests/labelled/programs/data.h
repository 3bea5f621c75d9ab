// Data that looks random and is the same in both programs of a pair. Kernels called `prepare...`
// make it, and are no part of what is measured.
#pragma once
#include "program.h"

__device__ inline unsigned hashed(unsigned value) {
  value *= 2654435761u;
  value ^= value >> 15;
  value *= 2246822519u;
  return value ^ (value >> 13);
}

template <typename T>
__global__ void prepare(T* data, unsigned range) {
  data[work_item()] = static_cast<T>(hashed(work_item()) % range);
}

// Values from 0 to range - 1; `count` is a multiple of 256.
template <typename T>
T* mixed(size_t count, unsigned range) {
  T* data = nullptr;
  HIP_CHECK(hipMalloc(&data, count * sizeof(T)));
  prepare<<<count / 256, 256>>>(data, range);
  return data;
}
