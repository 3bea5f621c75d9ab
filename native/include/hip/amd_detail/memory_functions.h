// printf, assert, abort, memcpy, memset and read-only loads inside kernels.
// malloc and free come from the header that the compiler includes by itself; it calls
// __ockl_dm_alloc and __ockl_dm_dealloc of the device library.
#pragma once

#include <hip/amd_detail/device_library.h>
#include <hip/hip_vector_types.h>

extern "C" __device__ int printf(const char* format, ...);

extern "C" __device__ inline __attribute__((weak, noreturn)) void abort() { __builtin_trap(); }
__HIP_DEVICE__ void __trap() { __builtin_trap(); }

// What <assert.h> calls. Not inlined: a failing assertion is the rare path. The runtime knows this
// format and prints it to stderr.
extern "C" __device__ inline __attribute__((noinline)) void __assert_fail(const char* assertion,
                                                                          const char* file,
                                                                          unsigned int line,
                                                                          const char* function) {
  printf("%s:%u: %s: Device-side assertion `%s' failed.\n", file, line, function, assertion);
  __builtin_trap();
}
extern "C" __device__ inline __attribute__((noinline)) void __assertfail() { __builtin_trap(); }

#if !defined(__OPENMP_AMDGCN__)
__HIP_DEVICE__ void* memcpy(void* to, const void* from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
__HIP_DEVICE__ void* memset(void* to, int value, size_t bytes) {
  return __builtin_memset(to, value, bytes);
}
#endif

// Read-only loads: a cached load is the only kind there is.
#define __HIP_LDG(T) \
  __HIP_DEVICE__ T __ldg(const T* address) { return *address; }
__HIP_LDG(char)
__HIP_LDG(char2)
__HIP_LDG(char4)
__HIP_LDG(signed char)
__HIP_LDG(unsigned char)
__HIP_LDG(uchar2)
__HIP_LDG(uchar4)
__HIP_LDG(short)
__HIP_LDG(short2)
__HIP_LDG(short4)
__HIP_LDG(unsigned short)
__HIP_LDG(ushort2)
__HIP_LDG(ushort4)
__HIP_LDG(int)
__HIP_LDG(int2)
__HIP_LDG(int4)
__HIP_LDG(unsigned int)
__HIP_LDG(uint2)
__HIP_LDG(uint4)
__HIP_LDG(long)
__HIP_LDG(unsigned long)
__HIP_LDG(long long)
__HIP_LDG(longlong2)
__HIP_LDG(unsigned long long)
__HIP_LDG(ulonglong2)
__HIP_LDG(float)
__HIP_LDG(float2)
__HIP_LDG(float4)
__HIP_LDG(double)
__HIP_LDG(double2)
#undef __HIP_LDG
