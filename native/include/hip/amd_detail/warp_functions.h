// Votes, shuffles, matches and reductions across the lanes of a wave.
#pragma once

#include <hip/amd_detail/integer_intrinsics.h>

#include <type_traits>

// 64 on CDNA. Not a constant expression in HIP 7, because RDNA has both 32 and 64.
inline __device__ const struct __hip_warp_size_t final {
  __device__ __attribute__((always_inline, const)) operator int() const {
    return __builtin_amdgcn_wavefrontsize();
  }
} warpSize{};

__HIP_DEVICE__ unsigned long long __ballot(int predicate) {
  return __builtin_amdgcn_ballot_w64(predicate);
}
__HIP_DEVICE__ unsigned long long __ballot64(int predicate) { return __ballot(predicate); }
__HIP_DEVICE__ unsigned long long __activemask() { return __ballot(true); }
__HIP_DEVICE__ int __any(int predicate) { return __ballot(predicate) != 0; }
__HIP_DEVICE__ int __all(int predicate) { return __ballot(predicate) == __activemask(); }

__HIP_DEVICE__ unsigned int __lane_id() {
  return __builtin_amdgcn_mbcnt_hi(-1, __builtin_amdgcn_mbcnt_lo(-1, 0));
}
__HIP_DEVICE__ uint64_t __lanemask_eq() { return 1ull << __lane_id(); }
__HIP_DEVICE__ uint64_t __lanemask_lt() { return (__lanemask_eq() - 1) & __activemask(); }
__HIP_DEVICE__ uint64_t __lanemask_gt() { return (~0ull << __lane_id() << 1) & __activemask(); }

// One 32-bit register from another lane; lanes are addressed in bytes.
__HIP_DEVICE__ int __hip_from_lane(int value, int lane) {
  return __builtin_amdgcn_ds_bpermute(lane << 2, value);
}
// Any type of whole registers, one register at a time.
template <typename T>
__HIP_DEVICE__ T __hip_value_from_lane(T value, int lane) {
  static_assert(sizeof(T) % sizeof(int) == 0, "shuffles move whole 32-bit registers");
  int words[sizeof(T) / sizeof(int)];
  __builtin_memcpy(words, &value, sizeof(T));
  for (int& word : words) word = __hip_from_lane(word, lane);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}

__HIP_DEVICE__ int __hip_shfl_lane(int lane, int width) {
  return (lane & (width - 1)) + (__lane_id() & ~(width - 1));
}
__HIP_DEVICE__ int __hip_shfl_up_lane(unsigned int delta, int width) {
  const int self = __lane_id(), lane = self - static_cast<int>(delta);
  return lane < (self & ~(width - 1)) ? self : lane;
}
__HIP_DEVICE__ int __hip_shfl_down_lane(unsigned int delta, int width) {
  const int self = __lane_id();
  return static_cast<int>((self & (width - 1)) + delta) >= width ? self
                                                                 : self + static_cast<int>(delta);
}
__HIP_DEVICE__ int __hip_shfl_xor_lane(int mask, int width) {
  const int self = __lane_id(), lane = self ^ mask;
  return lane >= ((self + width) & ~(width - 1)) ? self : lane;
}

#define __HIP_SHUFFLES(T)                                                             \
  __HIP_DEVICE__ T __shfl(T value, int lane, int width = warpSize) {                  \
    return __hip_value_from_lane(value, __hip_shfl_lane(lane, width));                \
  }                                                                                   \
  __HIP_DEVICE__ T __shfl_up(T value, unsigned int delta, int width = warpSize) {     \
    return __hip_value_from_lane(value, __hip_shfl_up_lane(delta, width));            \
  }                                                                                   \
  __HIP_DEVICE__ T __shfl_down(T value, unsigned int delta, int width = warpSize) {   \
    return __hip_value_from_lane(value, __hip_shfl_down_lane(delta, width));          \
  }                                                                                   \
  __HIP_DEVICE__ T __shfl_xor(T value, int mask, int width = warpSize) {              \
    return __hip_value_from_lane(value, __hip_shfl_xor_lane(mask, width));            \
  }
__HIP_SHUFFLES(int)
__HIP_SHUFFLES(unsigned int)
__HIP_SHUFFLES(long)
__HIP_SHUFFLES(unsigned long)
__HIP_SHUFFLES(long long)
__HIP_SHUFFLES(unsigned long long)
__HIP_SHUFFLES(float)
__HIP_SHUFFLES(double)
#undef __HIP_SHUFFLES

// The cross-lane instructions themselves.
__HIP_DEVICE__ unsigned int __hip_ds_bpermute(int index, unsigned int value) {
  return __builtin_amdgcn_ds_bpermute(index, value);
}
__HIP_DEVICE__ float __hip_ds_bpermutef(int index, float value) {
  const int bits = __builtin_amdgcn_ds_bpermute(index, __builtin_bit_cast(int, value));
  return __builtin_bit_cast(float, bits);
}
__HIP_DEVICE__ unsigned int __hip_ds_permute(int index, unsigned int value) {
  return __builtin_amdgcn_ds_permute(index, value);
}
__HIP_DEVICE__ float __hip_ds_permutef(int index, float value) {
  const int bits = __builtin_amdgcn_ds_permute(index, __builtin_bit_cast(int, value));
  return __builtin_bit_cast(float, bits);
}
template <int pattern>
__HIP_DEVICE__ unsigned int __hip_ds_swizzle_N(unsigned int value) {
  return __builtin_amdgcn_ds_swizzle(value, pattern);
}
template <int pattern>
__HIP_DEVICE__ float __hip_ds_swizzlef_N(float value) {
  const int bits = __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, value), pattern);
  return __builtin_bit_cast(float, bits);
}
template <int control, int row_mask, int bank_mask, bool bound_control>
__HIP_DEVICE__ int __hip_move_dpp_N(int value) {
  return __builtin_amdgcn_mov_dpp(value, control, row_mask, bank_mask, bound_control);
}
#define __hip_ds_swizzle(value, pattern) __hip_ds_swizzle_N<(pattern)>((value))
#define __hip_ds_swizzlef(value, pattern) __hip_ds_swizzlef_N<(pattern)>((value))
#define __hip_move_dpp(value, control, row_mask, bank_mask, bound_control) \
  __hip_move_dpp_N<(control), (row_mask), (bank_mask), (bound_control)>((value))

// Lanes with the same value. Each turn serves the lanes that share the first one's.
template <typename T>
__HIP_DEVICE__ T __hip_from_first_lane(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "one or two registers");
  int words[sizeof(T) / sizeof(int)];
  __builtin_memcpy(words, &value, sizeof(T));
  for (int& word : words) word = __builtin_amdgcn_readfirstlane(word);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
template <typename T>
__HIP_DEVICE__ unsigned long long __match_any(T value) {
  static_assert(std::is_arithmetic<T>::value, "an arithmetic type of 4 or 8 bytes");
  unsigned long long same = 0;
  for (bool served = false; __any(!served);)
    if (!served && __hip_from_first_lane(value) == value) {
      same = __activemask();
      served = true;
    }
  return same;
}
template <typename T>
__HIP_DEVICE__ unsigned long long __match_all(T value, int* predicate) {
  *predicate = __all(__hip_from_first_lane(value) == value);
  return *predicate ? __activemask() : 0;
}
