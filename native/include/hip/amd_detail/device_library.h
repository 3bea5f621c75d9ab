// What the device libraries (ockl, ocml and our own hip.bc) offer to these headers.
#pragma once

#include <hip/amd_detail/host_defines.h>
#include <stddef.h>
#include <stdint.h>

#define __HIP_DEVICE__ static __device__ inline __attribute__((always_inline))
#define __HIP_LIBRARY__ extern "C" __device__ __attribute__((const))
#define __HIP_LIBRARY_CONVERGENT__ extern "C" __device__ __attribute__((convergent))

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long long ullong;

__HIP_LIBRARY__ size_t __ockl_get_local_id(unsigned int);
__HIP_LIBRARY__ size_t __ockl_get_group_id(unsigned int);
__HIP_LIBRARY__ size_t __ockl_get_local_size(unsigned int);
__HIP_LIBRARY__ size_t __ockl_get_num_groups(unsigned int);

__HIP_LIBRARY_CONVERGENT__ int __ockl_wgred_add_i32(int);
__HIP_LIBRARY_CONVERGENT__ int __ockl_wgred_and_i32(int);
__HIP_LIBRARY_CONVERGENT__ int __ockl_wgred_or_i32(int);

__HIP_LIBRARY__ int __ockl_grid_is_valid(void);
__HIP_LIBRARY_CONVERGENT__ void __ockl_grid_sync(void);
__HIP_LIBRARY__ unsigned int __ockl_multi_grid_num_grids(void);
__HIP_LIBRARY__ unsigned int __ockl_multi_grid_grid_rank(void);
__HIP_LIBRARY__ unsigned int __ockl_multi_grid_size(void);
__HIP_LIBRARY__ unsigned int __ockl_multi_grid_thread_rank(void);
__HIP_LIBRARY__ int __ockl_multi_grid_is_valid(void);
__HIP_LIBRARY_CONVERGENT__ void __ockl_multi_grid_sync(void);

// Conversions that round towards negative, positive and zero.
#define __HIP_CONVERSIONS(To, to, From, from)         \
  __HIP_LIBRARY__ To __ocml_cvtrtn_##to##_##from(From); \
  __HIP_LIBRARY__ To __ocml_cvtrtp_##to##_##from(From); \
  __HIP_LIBRARY__ To __ocml_cvtrtz_##to##_##from(From);
__HIP_CONVERSIONS(float, f32, double, f64)
__HIP_CONVERSIONS(_Float16, f16, float, f32)
__HIP_CONVERSIONS(float, f32, int, s32)
__HIP_CONVERSIONS(float, f32, unsigned int, u32)
__HIP_CONVERSIONS(float, f32, long long, s64)
__HIP_CONVERSIONS(float, f32, unsigned long long, u64)
__HIP_CONVERSIONS(double, f64, long long, s64)
__HIP_CONVERSIONS(double, f64, unsigned long long, u64)
#undef __HIP_CONVERSIONS
