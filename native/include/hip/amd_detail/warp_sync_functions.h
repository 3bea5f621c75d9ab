// The forms with a lane mask. The mask names lanes of one wave, so it has 64 bits.
#pragma once

#include <hip/amd_detail/warp_functions.h>

#if !defined(HIP_DISABLE_WARP_SYNC_BUILTINS)

#define __HIP_CHECK_MASK_TYPE(Mask)                                                    \
  static_assert(std::is_integral<Mask>::value && sizeof(Mask) == 8,                    \
                "The mask must be a 64-bit integer: a wave has up to 64 lanes.")

// Lanes of a wave run in step: what remains is to keep the compiler from moving accesses across.
__device__ inline __attribute__((convergent)) void __syncwarp() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
template <typename Mask>
__HIP_DEVICE__ void __syncwarp(Mask) {
  __HIP_CHECK_MASK_TYPE(Mask);
  __syncwarp();
}

template <typename Mask>
__HIP_DEVICE__ unsigned long long __ballot_sync(Mask mask, int predicate) {
  __HIP_CHECK_MASK_TYPE(Mask);
  return __ballot(predicate) & mask;
}
template <typename Mask>
__HIP_DEVICE__ int __all_sync(Mask mask, int predicate) {
  return __ballot_sync(mask, predicate) == static_cast<unsigned long long>(mask);
}
template <typename Mask>
__HIP_DEVICE__ int __any_sync(Mask mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
template <typename Mask, typename T>
__HIP_DEVICE__ unsigned long long __match_any_sync(Mask mask, T value) {
  __HIP_CHECK_MASK_TYPE(Mask);
  return __match_any(value) & mask;
}
// Groups of lanes may call with masks of their own: each turn serves one group.
template <typename Mask, typename T>
__HIP_DEVICE__ unsigned long long __match_all_sync(Mask mask, T value, int* predicate) {
  __HIP_CHECK_MASK_TYPE(Mask);
  unsigned long long same = 0;
  for (bool served = false; __any(!served);)
    if (!served && __hip_from_first_lane(mask) == mask) {
      same = __match_all(value, predicate);
      served = true;
    }
  return same;
}

template <typename Mask, typename T>
__HIP_DEVICE__ T __shfl_sync(Mask, T value, int lane, int width = warpSize) {
  __HIP_CHECK_MASK_TYPE(Mask);
  return __shfl(value, lane, width);
}
template <typename Mask, typename T>
__HIP_DEVICE__ T __shfl_up_sync(Mask, T value, unsigned int delta, int width = warpSize) {
  __HIP_CHECK_MASK_TYPE(Mask);
  return __shfl_up(value, delta, width);
}
template <typename Mask, typename T>
__HIP_DEVICE__ T __shfl_down_sync(Mask, T value, unsigned int delta, int width = warpSize) {
  __HIP_CHECK_MASK_TYPE(Mask);
  return __shfl_down(value, delta, width);
}
template <typename Mask, typename T>
__HIP_DEVICE__ T __shfl_xor_sync(Mask, T value, int laneMask, int width = warpSize) {
  __HIP_CHECK_MASK_TYPE(Mask);
  return __shfl_xor(value, laneMask, width);
}

// Fold the values of the lanes in the mask, lowest lane first, so that the result is the same in
// every one of them.
template <typename Mask, typename T, typename Fold>
__HIP_DEVICE__ T __hip_reduce_sync(Mask mask, T value, Fold fold) {
  __HIP_CHECK_MASK_TYPE(Mask);
  unsigned long long left = mask;
  T result = __hip_value_from_lane(value, __builtin_ctzll(left));
  for (left &= left - 1; left; left &= left - 1)
    result = fold(result, __hip_value_from_lane(value, __builtin_ctzll(left)));
  return result;
}
#define __HIP_REDUCTION(name, T, expression)                                              \
  template <typename Mask>                                                                \
  __HIP_DEVICE__ T name(Mask mask, T value) {                                             \
    return __hip_reduce_sync(mask, value, [](T a, T b) { return expression; }); \
  }
#define __HIP_ARITHMETIC_REDUCTIONS(T)                \
  __HIP_REDUCTION(__reduce_add_sync, T, a + b)        \
  __HIP_REDUCTION(__reduce_min_sync, T, b < a ? b : a) \
  __HIP_REDUCTION(__reduce_max_sync, T, a < b ? b : a)
#define __HIP_LOGICAL_REDUCTIONS(T)            \
  __HIP_REDUCTION(__reduce_and_sync, T, a & b) \
  __HIP_REDUCTION(__reduce_or_sync, T, a | b)  \
  __HIP_REDUCTION(__reduce_xor_sync, T, a ^ b)
__HIP_ARITHMETIC_REDUCTIONS(int)
__HIP_ARITHMETIC_REDUCTIONS(unsigned int)
__HIP_LOGICAL_REDUCTIONS(unsigned int)
#ifdef HIP_ENABLE_EXTRA_WARP_SYNC_TYPES
__HIP_ARITHMETIC_REDUCTIONS(long long)
__HIP_ARITHMETIC_REDUCTIONS(unsigned long long)
__HIP_ARITHMETIC_REDUCTIONS(float)
__HIP_ARITHMETIC_REDUCTIONS(double)
__HIP_LOGICAL_REDUCTIONS(int)
__HIP_LOGICAL_REDUCTIONS(long long)
__HIP_LOGICAL_REDUCTIONS(unsigned long long)
#endif
#undef __HIP_REDUCTION
#undef __HIP_ARITHMETIC_REDUCTIONS
#undef __HIP_LOGICAL_REDUCTIONS
#undef __HIP_CHECK_MASK_TYPE

#endif
