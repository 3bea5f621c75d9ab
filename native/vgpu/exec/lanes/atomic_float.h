// Floating-point steps of atomics, on raw bits.
#pragma once

#include <type_traits>

#include "exec/float/half.h"

namespace vgpu {
namespace VGPU_TARGET {

template <class T>
using FloatOf = typename std::conditional<sizeof(T) == 4, f32, f64>::type;

template <class T>
VGPU_INLINE bool bits_are_nan(T bits) {
  return is_nan(from_bits<FloatOf<T>>(bits));
}

template <class T>
VGPU_INLINE T float_add(T a, T b) {
  using F = FloatOf<T>;
  F x = from_bits<F>(a), y = from_bits<F>(b);
  if (is_nan(x)) return bits_of(quieted(x));  // which NaN wins must not depend on the host
  if (is_nan(y)) return bits_of(quieted(y));
  F sum = x + y;
  return bits_of(is_nan(sum) ? default_nan<F>() : sum);
}

// Orders -0 before +0; false when either is NaN.
template <class T>
VGPU_INLINE bool float_less(T a, T b) {
  using F = FloatOf<T>;
  F x = from_bits<F>(a), y = from_bits<F>(b);
  return x == y ? is_negative(x) && !is_negative(y) : x < y;
}

template <class T>
VGPU_INLINE bool float_equal(T a, T b) {
  return from_bits<FloatOf<T>>(a) == from_bits<FloatOf<T>>(b);
}

VGPU_INLINE u32 add_f16(u32 a, u32 b) {
  u32 sum = float_add(bits_of(to_f32(f16{u16(a)})), bits_of(to_f32(f16{u16(b)})));
  return to_f16(as_f32(sum)).bits;
}

VGPU_INLINE u32 add_bf16(u32 a, u32 b) { return f32_to_bf16(as_f32(float_add(a << 16, b << 16))); }

template <class T>
VGPU_INLINE T pair_add_f16(T a, T b) {
  return T(add_f16(u32(a) & 0xffff, u32(b) & 0xffff) | add_f16(u32(a) >> 16, u32(b) >> 16) << 16);
}

template <class T>
VGPU_INLINE T pair_add_bf16(T a, T b) {
  return T(add_bf16(u32(a) & 0xffff, u32(b) & 0xffff) | add_bf16(u32(a) >> 16, u32(b) >> 16) << 16);
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
