// Atomic read-modify-write. The plain names reach the device, _system the whole machine; all are
// relaxed, as in CUDA.
#pragma once

#include <hip/amd_detail/device_library.h>

// The compiler defines these for devices only.
#ifndef __HIP_MEMORY_SCOPE_SINGLETHREAD
#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#endif

#define __HIP_ATOMIC_IN(name, T, operation, operand, SCOPE)                                \
  __HIP_DEVICE__ T name(T* address, T value) {                                             \
    return operation(address, operand, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_##SCOPE);      \
  }
#define __HIP_ATOMIC(name, T, operation, operand)               \
  __HIP_ATOMIC_IN(name, T, operation, operand, AGENT)           \
  __HIP_ATOMIC_IN(name##_system, T, operation, operand, SYSTEM)
#define __HIP_ATOMIC_EXCHANGES(T)                                                            \
  __HIP_ATOMIC(atomicExch, T, __hip_atomic_exchange, value)                                  \
  __HIP_DEVICE__ T atomicCAS(T* address, T expected, T value) {                              \
    __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED,        \
                                         __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);        \
    return expected;                                                                         \
  }                                                                                          \
  __HIP_DEVICE__ T atomicCAS_system(T* address, T expected, T value) {                       \
    __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED,        \
                                         __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);       \
    return expected;                                                                         \
  }
#define __HIP_ATOMIC_SUMS(T)                                    \
  __HIP_ATOMIC(atomicAdd, T, __hip_atomic_fetch_add, value)     \
  __HIP_ATOMIC(atomicSub, T, __hip_atomic_fetch_add, -value)
#define __HIP_ATOMIC_EXTREMES(T)                                \
  __HIP_ATOMIC(atomicMin, T, __hip_atomic_fetch_min, value)     \
  __HIP_ATOMIC(atomicMax, T, __hip_atomic_fetch_max, value)
#define __HIP_ATOMIC_BITS(T)                                    \
  __HIP_ATOMIC(atomicAnd, T, __hip_atomic_fetch_and, value)     \
  __HIP_ATOMIC(atomicOr, T, __hip_atomic_fetch_or, value)       \
  __HIP_ATOMIC(atomicXor, T, __hip_atomic_fetch_xor, value)
#define __HIP_ATOMIC_ALL(T) \
  __HIP_ATOMIC_EXCHANGES(T) \
  __HIP_ATOMIC_SUMS(T)      \
  __HIP_ATOMIC_EXTREMES(T)  \
  __HIP_ATOMIC_BITS(T)

__HIP_ATOMIC_ALL(int)
__HIP_ATOMIC_ALL(unsigned int)
__HIP_ATOMIC_ALL(unsigned long)
__HIP_ATOMIC_ALL(unsigned long long)
__HIP_ATOMIC_EXTREMES(long long)
__HIP_ATOMIC_EXCHANGES(float)
__HIP_ATOMIC_SUMS(float)
__HIP_ATOMIC_EXTREMES(float)
__HIP_ATOMIC_EXCHANGES(double)
__HIP_ATOMIC_SUMS(double)
__HIP_ATOMIC_EXTREMES(double)

// There is no 16-bit exchange in the hardware; compare-and-swap of the word around it serves.
__HIP_DEVICE__ unsigned short atomicCAS(unsigned short* address, unsigned short expected,
                                        unsigned short value) {
  __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}

// Count up to `limit` and wrap to 0; count down to 0 and wrap to `limit`.
__HIP_DEVICE__ unsigned int atomicInc(unsigned int* address, unsigned int limit) {
  return __builtin_amdgcn_atomic_inc32(address, limit, __ATOMIC_RELAXED, "agent");
}
__HIP_DEVICE__ unsigned int atomicDec(unsigned int* address, unsigned int limit) {
  return __builtin_amdgcn_atomic_dec32(address, limit, __ATOMIC_RELAXED, "agent");
}

__HIP_DEVICE__ void atomicAddNoRet(float* address, float value) { (void)atomicAdd(address, value); }

// "Unsafe" permits the floating point atomics of the memory hardware, which ignore the denormal
// mode and need coarse-grained memory; "safe" never uses them. gfx942 has them in both forms.
#define __HIP_ATOMIC_SAFETY(T)                                                                     \
  __HIP_DEVICE__ T unsafeAtomicAdd(T* address, T value) { return atomicAdd(address, value); }      \
  __HIP_DEVICE__ T unsafeAtomicMin(T* address, T value) { return atomicMin(address, value); }      \
  __HIP_DEVICE__ T unsafeAtomicMax(T* address, T value) { return atomicMax(address, value); }      \
  __HIP_DEVICE__ T safeAtomicMin(T* address, T value) { return atomicMin(address, value); }        \
  __HIP_DEVICE__ T safeAtomicMax(T* address, T value) { return atomicMax(address, value); }        \
  __HIP_DEVICE__ T safeAtomicAdd(T* address, T value) {                                            \
    T old = __hip_atomic_load(address, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                \
    while (!__hip_atomic_compare_exchange_strong(address, &old, old + value, __ATOMIC_RELAXED,     \
                                                 __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {    \
    }                                                                                              \
    return old;                                                                                    \
  }
__HIP_ATOMIC_SAFETY(float)
__HIP_ATOMIC_SAFETY(double)

// Pairs of 16-bit numbers, where the memory hardware cannot add them.
template <typename Pair>
__HIP_DEVICE__ Pair __hip_pair_atomic_add(Pair* address, Pair value) {
  unsigned int* word = reinterpret_cast<unsigned int*>(address);
  unsigned int old = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT), sum;
  Pair before;
  do {
    __builtin_memcpy(&before, &old, sizeof before);
    const Pair after = before + value;
    __builtin_memcpy(&sum, &after, sizeof sum);
  } while (!__hip_atomic_compare_exchange_strong(word, &old, sum, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
  return before;
}

#undef __HIP_ATOMIC
#undef __HIP_ATOMIC_IN
#undef __HIP_ATOMIC_EXCHANGES
#undef __HIP_ATOMIC_SUMS
#undef __HIP_ATOMIC_EXTREMES
#undef __HIP_ATOMIC_BITS
#undef __HIP_ATOMIC_ALL
#undef __HIP_ATOMIC_SAFETY
