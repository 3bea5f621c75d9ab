// threadIdx, blockIdx, blockDim, gridDim: read where they are used, never stored.
#pragma once

#include <hip/amd_detail/api_types.h>
#include <hip/amd_detail/device_library.h>

#define __HIP_COORDINATE(axis, number, source)                          \
  __declspec(property(get = __get_##axis)) unsigned int axis;           \
  __HIP_DEVICE__ unsigned int __get_##axis(void) { return source(number); }
#define __HIP_COORDINATES(name, source)                                 \
  struct __hip_builtin_##name##_t {                                     \
    __HIP_COORDINATE(x, 0, source)                                      \
    __HIP_COORDINATE(y, 1, source)                                      \
    __HIP_COORDINATE(z, 2, source)                                      \
    __device__ operator dim3() const { return dim3(x, y, z); }          \
  };                                                                    \
  extern const __device__ __attribute__((weak)) __hip_builtin_##name##_t name;

__HIP_COORDINATES(threadIdx, __ockl_get_local_id)
__HIP_COORDINATES(blockIdx, __ockl_get_group_id)
__HIP_COORDINATES(blockDim, __ockl_get_local_size)
__HIP_COORDINATES(gridDim, __ockl_get_num_groups)
#undef __HIP_COORDINATES
#undef __HIP_COORDINATE

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
