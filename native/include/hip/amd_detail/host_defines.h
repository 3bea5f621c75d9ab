// Function and variable qualifiers, meaningful to clang's HIP mode and empty to other compilers.
#pragma once
// Libraries that test for ROCm's guard would otherwise define the qualifiers away.
#define HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H

#include <hip/hip_common.h>

#ifndef GENERIC_GRID_LAUNCH
#define GENERIC_GRID_LAUNCH 1
#endif

#if __HIP_CLANG_ONLY__
// __host__, __device__, __global__, __shared__, __constant__, __managed__ come from the header
// that the compiler includes by itself (__clang_hip_runtime_wrapper.h).
#if !__has_feature(cuda_noinline_keyword)
#define __noinline__ __attribute__((noinline))
#endif
#define __forceinline__ inline __attribute__((always_inline))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __noinline__
#define __forceinline__ inline
#endif

#if !defined(__align__)
#define __align__(x) __attribute__((aligned(x)))
#endif

// One spelling for what lives on both sides and is always inlined.
#define __HOST_DEVICE__ __host__ __device__ inline __attribute__((always_inline))

// A default argument exists in C++ only.
#ifdef __cplusplus
#define HIP_DEFAULT(value) = value
#else
#define HIP_DEFAULT(value)
#endif
