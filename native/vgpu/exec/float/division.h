// The three steps that compilers build IEEE division from: v_div_scale, v_div_fmas, v_div_fixup.
//
// The published pseudo-code scales an overflowing denominator up and multiplies by 2^32 afterwards;
// that cannot give a correct quotient. Here a huge denominator is scaled down and v_div_fmas undoes
// 2^+-64 (f64: 2^+-128) by the size of the quotient, and the tests check the whole sequence.
#pragma once

#include "exec/float/compare.h"
#include "exec/float/elementary.h"

namespace vgpu {
namespace VGPU_TARGET {

template <class F>
struct DivisionLimits;
template <>
struct DivisionLimits<f32> {
  static constexpr int large_quotient = 96, tiny_numerator = 23, scale = 64, underflow = -150;
};
template <>
struct DivisionLimits<f64> {
  static constexpr int large_quotient = 768, tiny_numerator = 53, scale = 128, underflow = -1075;
};

VGPU_INLINE f32 scaled(f32 x, int n) { return x * f32(power_of_two(n)); }
VGPU_INLINE f64 scaled(f64 x, int n) { return x * power_of_two(n); }

// `x` is the operand to scale: the denominator or the numerator. `out` tells v_div_fmas to rescale.
template <class F>
VGPU_INLINE F div_scale(F x, F denominator, F numerator, bool& out) {
  using Limits = DivisionLimits<F>;
  constexpr int scale = Limits::scale;
  const bool is_denominator = equal(x, denominator), is_numerator = equal(x, numerator);
  const int difference = exponent_field(numerator) - exponent_field(denominator);
  const bool large = difference >= Limits::large_quotient;
  const bool denormal_inverse = is_denormal(F(1) / denominator);
  // One that rounds to 0 may still be 2^-150 (f64: 2^-1075), a tie: it counts as denormal.
  const bool denormal_quotient =
      exponent_field(F(numerator / denominator)) == 0 && !is_inf(denominator);
  const bool tiny = exponent_field(numerator) <= Limits::tiny_numerator;
  const F up = scaled(x, scale), down = scaled(x, -scale);
  const bool zero = is_zero(numerator) || is_zero(denominator);
  const bool small_denominator = is_denormal(denominator);
  const F rescaled = denormal_inverse ? (is_denominator ? down : x) : is_numerator ? up : x;
  const F usual = denormal_quotient ? rescaled : denormal_inverse ? down : tiny ? up : x;
  const F ordinary = large ? (is_denominator ? up : x) : small_denominator ? up : usual;
  out = !zero && (large || (!small_denominator && denormal_quotient));
  return zero ? default_nan<F>() : ordinary;
}

// p + q and what the sum loses. Directed rounding may cut the loss, but never to nothing or beyond.
VGPU_INLINE f64 two_sum(f64 p, f64 q, f64& lost) {
  const bool p_larger = magnitude(p) >= magnitude(q);
  const f64 big = p_larger ? p : q, small = p_larger ? q : p;
  const f64 sum = big + small;
  lost = small - (sum - big);
  return sum;
}

// (a * b + c) * 2^-128 where that is denormal and not 0, with one rounding to its last bit 2^-1074.
// Everything is held times 2^1000, where nothing underflows: the exact sum is v + rest, and adding
// 2^106 makes the rounding fall on the bit that the result ends at.
VGPU_INLINE f64 fma_to_denormal(f64 a, f64 b, f64 c) {
  const bool a_smaller = magnitude(a) < magnitude(b);
  const f64 x = a_smaller ? a : b, y = a_smaller ? b : a;
  const f64 product = x * 0x1p1000 * y;
  const f64 sticky = with_sign(0x1p-1074, is_negative(a) != is_negative(b));
  const bool vanished = is_zero(product) && !is_zero(a) && !is_zero(b);
  const f64 high = vanished ? sticky : product;
  const f64 low = vanished ? 0.0 : __builtin_fma(x * 0x1p1000, y, -product);
  f64 lost_low, lost_high, beside;
  const f64 with_low = two_sum(c * 0x1p1000, low, lost_low);
  const f64 v = two_sum(high, with_low, lost_high);
  const f64 rest = add_odd(lost_low, lost_high);
  const f64 end = with_sign(0x1p106, is_negative(v));
  const f64 rounded = two_sum(end, v, beside);
  const f64 kept = (rounded + add_odd(beside, rest)) - end;
  return with_sign(kept * 0x1p-564 * 0x1p-564, is_negative(v));
}

// a * b + c, multiplied back by v_div_scale's factor where `rescale`: up when the quotient c is
// large (the denominator had been scaled up), down otherwise. The ISA writes 2^k * fma(a, b, c) and
// not how often that rounds; division is only correct, as it is on the hardware, when once.
VGPU_INLINE f32 div_fmas(f32 a, f32 b, f32 c, bool rescale) {
  const bool grow = exponent_field(c) > FloatFormat<f32>::bias;
  const f64 factor = rescale ? (grow ? 0x1p64 : 0x1p-64) : 1.0;
  return f32(add_odd(f64(a) * f64(b), f64(c)) * factor);
}
VGPU_INLINE f64 div_fmas(f64 a, f64 b, f64 c, bool rescale) {
  const bool grow = exponent_field(c) > FloatFormat<f64>::bias;
  const f64 factor = rescale ? (grow ? 0x1p128 : 0x1p-128) : 1.0;
  const f64 usual = __builtin_fma(a, b, c);
  const bool denormal = rescale && !grow && !is_zero(usual) && exponent_field(usual) < 1 + 128;
  if (__builtin_expect(denormal, 0)) return fma_to_denormal(a, b, c);
  // Too large before it is scaled down: then c, below 2, decides ties only.
  const bool overflow = rescale && !grow && is_inf(usual) && !is_inf(a) && !is_inf(b);
  const bool a_larger = magnitude(a) > magnitude(b);
  if (__builtin_expect(overflow, 0))
    return __builtin_fma((a_larger ? a : b) * factor, a_larger ? b : a, c);
  return usual * factor;
}

// Puts in the quotients that the arithmetic cannot give. Under directed rounding an underflow
// leaves the smallest denormal where the magnitude rounds up.
template <class F>
VGPU_INLINE F div_fixup(F quotient, F denominator, F numerator, bool positive_up,
                        bool negative_up) {
  using Format = FloatFormat<F>;
  using Bits = typename Format::Bits;
  const bool negative = is_negative(denominator) != is_negative(numerator);
  const bool invalid =
      (is_zero(numerator) && is_zero(denominator)) || (is_inf(numerator) && is_inf(denominator));
  bool infinite = is_zero(denominator) || is_inf(numerator);
  bool zero = is_inf(denominator) || is_zero(numerator);
  Bits smallest = 0;
  if constexpr (!__is_same(F, f16)) {
    const int difference = exponent_field(numerator) - exponent_field(denominator);
    const bool underflow = !infinite && !zero && difference < DivisionLimits<F>::underflow;
    smallest = Bits(underflow && (negative ? negative_up : positive_up));
    infinite = infinite || (!zero && !underflow && is_nan(quotient));
    zero = zero || underflow;
  }
  const Bits magnitude_bits = infinite ? Format::infinity : zero ? smallest : magnitude(quotient);
  const F number = with_sign(from_bits<F>(magnitude_bits), negative);
  const F usual = invalid ? default_nan<F>() : number;
  const F nan = is_nan(numerator) ? quieted(numerator) : quieted(denominator);
  return is_nan(numerator) || is_nan(denominator) ? nan : usual;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
