// Launching kernels: launch bounds, hipLaunchKernelGGL, dynamic shared memory.
#pragma once

#include <hip/hip_runtime_api.h>

#define __hip_launch_bounds_1(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __hip_launch_bounds_2(threads, waves) \
  __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(waves)))
#define __hip_launch_bounds_select(a, b, chosen, ...) chosen
#define __launch_bounds__(...)                                                            \
  __hip_launch_bounds_select(__VA_ARGS__, __hip_launch_bounds_2, __hip_launch_bounds_1, ) \
  (__VA_ARGS__)

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(symbol) symbol
#define HIP_DYNAMIC_SHARED(type, var) extern __shared__ type var[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

typedef int hipLaunchParm;

#define hipLaunchKernelGGLInternal(kernel, blocks, threads, sharedBytes, stream, ...) \
  do {                                                                                \
    kernel<<<(blocks), (threads), (sharedBytes), (stream)>>>(__VA_ARGS__);            \
  } while (0)
#define hipLaunchKernelGGL(kernel, ...) hipLaunchKernelGGLInternal((kernel), __VA_ARGS__)
