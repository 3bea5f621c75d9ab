// The three steps that compilers build IEEE division from: v_div_scale, v_div_fmas, v_div_fixup.
//
// The published pseudo-code scales an overflowing denominator up and multiplies by 2^32 afterwards;
// that cannot give a correct quotient. Here a huge denominator is scaled down and v_div_fmas undoes
// 2^+-64 (f64: 2^+-128) by the size of the quotient, and the tests check the whole sequence.
#pragma once

#include "float_compare.h"
#include "float_elementary.h"

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
  const bool denormal_quotient = is_denormal(F(numerator / denominator));
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

// a * b + c, multiplied back by v_div_scale's factor where `rescale`: up when the quotient c is
// large (the denominator had been scaled up), down otherwise. f32 rounds once; f64 rounds the fused
// result and, where that becomes denormal, once more.
VGPU_INLINE f32 div_fmas(f32 a, f32 b, f32 c, bool rescale) {
  const bool grow = exponent_field(c) > FloatFormat<f32>::bias;
  const f64 factor = rescale ? (grow ? 0x1p64 : 0x1p-64) : 1.0;
  return f32(add_odd(f64(a) * f64(b), f64(c)) * factor);
}
VGPU_INLINE f64 div_fmas(f64 a, f64 b, f64 c, bool rescale) {
  const bool grow = exponent_field(c) > FloatFormat<f64>::bias;
  const f64 factor = rescale ? (grow ? 0x1p128 : 0x1p-128) : 1.0;
  return __builtin_fma(a, b, c) * factor;
}

// Puts in the quotients that the arithmetic cannot give. Under directed rounding an underflow
// leaves the smallest denormal where the magnitude rounds up.
template <class F>
VGPU_INLINE F div_fixup(F quotient, F denominator, F numerator, bool positive_up,
                        bool negative_up) {
  using Format = FloatFormat<F>;
  using Bits = typename Format::Bits;
  const bool negative = is_negative(denominator) != is_negative(numerator);
  const bool invalid = (is_zero(numerator) && is_zero(denominator)) ||
                       (is_inf(numerator) && is_inf(denominator));
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
