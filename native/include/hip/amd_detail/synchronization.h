// Barriers, fences, clocks, and where a wave runs.
#pragma once

#include <hip/amd_detail/device_library.h>

__HIP_DEVICE__ void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
__HIP_DEVICE__ void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
__HIP_DEVICE__ void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

__device__ inline __attribute__((convergent, always_inline)) void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__device__ inline __attribute__((convergent)) int __syncthreads_count(int predicate) {
  return __ockl_wgred_add_i32(!!predicate);
}
__device__ inline __attribute__((convergent)) int __syncthreads_and(int predicate) {
  return __ockl_wgred_and_i32(!!predicate);
}
__device__ inline __attribute__((convergent)) int __syncthreads_or(int predicate) {
  return __ockl_wgred_or_i32(!!predicate);
}
__device__ inline __attribute__((convergent)) void __named_sync() { __builtin_amdgcn_s_barrier(); }

// clock64 counts shader cycles (s_memtime), wall_clock64 the constant 100 MHz (s_memrealtime).
__HIP_DEVICE__ long long __clock64() { return __builtin_readcyclecounter(); }
__HIP_DEVICE__ long long __clock() { return __clock64(); }
__HIP_DEVICE__ long long clock64() { return __clock64(); }
__HIP_DEVICE__ long long clock() { return __clock64(); }
__HIP_DEVICE__ long long wall_clock64() { return __builtin_readsteadycounter(); }

// The compute unit that runs the wave: XCC, shader engine and unit numbers side by side.
// s_getreg takes (size - 1) << 11 | offset << 6 | register; HW_ID is 4, XCC_ID is 20.
#define __hip_getreg(bits, offset, reg) \
  __builtin_amdgcn_s_getreg(((bits) - 1) << 11 | (offset) << 6 | (reg))
__HIP_DEVICE__ unsigned int __smid() {
#if defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
  return __hip_getreg(4, 0, 20) << 6 | __hip_getreg(2, 13, 4) << 4 | __hip_getreg(4, 8, 4);
#elif defined(__GFX9__)
  return __hip_getreg(2, 13, 4) << 4 | __hip_getreg(4, 8, 4);
#else
  return 0;
#endif
}
#undef __hip_getreg

#if __HIP_ON_DEVICE__
__HIP_DEVICE__ void* __get_dynamicgroupbaseptr() {
  return (void*)(__attribute__((address_space(3))) void*)__builtin_amdgcn_groupstaticsize();
}
#else
__device__ void* __get_dynamicgroupbaseptr();
#endif
