// Minimum, maximum, median and classification with the device's rules for NaNs and signed zeros.
#pragma once

#include "exec/float/half.h"

namespace vgpu {
namespace VGPU_TARGET {

// Order and equality of non-NaN values.
VGPU_INLINE bool less(f32 a, f32 b) { return a < b; }
VGPU_INLINE bool less(f64 a, f64 b) { return a < b; }
VGPU_INLINE bool less(f16 a, f16 b) { return to_f32(a) < to_f32(b); }
VGPU_INLINE bool equal(f32 a, f32 b) { return a == b; }
VGPU_INLINE bool equal(f64 a, f64 b) { return a == b; }
VGPU_INLINE bool equal(f16 a, f16 b) { return to_f32(a) == to_f32(b); }

// In IEEE mode a signaling NaN wins, quieted; otherwise the operand that is not NaN does.
template <class F>
VGPU_INLINE F pick_number(F a, F b, F ordered, bool ieee) {
  const F number = is_nan(a) ? b : is_nan(b) ? a : ordered;
  const F loud = is_signaling(a) ? quieted(a) : quieted(b);
  return ieee && (is_signaling(a) || is_signaling(b)) ? loud : number;
}
// Equal operands are identical or zeros of both signs: the minimum is negative, the maximum not.
template <class F>
VGPU_INLINE F minimum(F a, F b, bool ieee) {
  const F tie = from_bits<F>(typename FloatFormat<F>::Bits(bits_of(a) | bits_of(b)));
  return pick_number(a, b, less(a, b) ? a : less(b, a) ? b : tie, ieee);
}
template <class F>
VGPU_INLINE F maximum(F a, F b, bool ieee) {
  const F tie = from_bits<F>(typename FloatFormat<F>::Bits(bits_of(a) & bits_of(b)));
  return pick_number(a, b, less(b, a) ? a : less(a, b) ? b : tie, ieee);
}
template <class F>
VGPU_INLINE F median(F a, F b, F c, bool ieee) {
  const F largest = maximum(maximum(a, b, ieee), c, ieee);
  const F smallest = minimum(minimum(a, b, ieee), c, ieee);
  const F middle = equal(largest, a)   ? maximum(b, c, ieee)
                   : equal(largest, b) ? maximum(a, c, ieee)
                                       : maximum(a, b, ieee);
  return is_nan(a) || is_nan(b) || is_nan(c) ? smallest : middle;
}

// The bit of v_cmp_class that this value asks about.
template <class F>
VGPU_INLINE u32 class_bit(F x) {
  const bool negative = is_negative(x);
  const u32 positive_class = is_inf(x) ? 9u : exponent_field(x) > 0 ? 8u : is_denormal(x) ? 7u : 6u;
  const u32 number = negative ? 11u - positive_class : positive_class;
  return is_nan(x) ? (is_signaling(x) ? 0u : 1u) : number;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
