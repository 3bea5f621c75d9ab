// Elementary functions of the vector unit, evaluated in double by polynomials of our own and
// rounded once, so that every host gives the same bytes.
//
// The hardware's tables are accurate to 1 ulp (f32, f16) and about 2^-27 (rcp/rsq/sqrt f64); these
// results are the correctly rounded ones except where a double evaluation (relative error below
// 2^-42) lands on the wrong side of a rounding boundary. As on the hardware, the f32 functions
// treat denormal inputs as zero and flush denormal results; the f16 functions keep denormals.
#pragma once

#include "exec/float/half.h"

namespace vgpu {
namespace VGPU_TARGET {

VGPU_INLINE f64 nearest_integer(f64 x) {  // |x| < 2^51, round to nearest even
  constexpr f64 magic = 0x1.8p52;
  return (x + magic) - magic;
}

VGPU_INLINE f64 power_of_two(i32 n) { return as_f64(u64(n + 1023) << 52); }  // -1022 <= n <= 1023

VGPU_INLINE f64 exp2_double(f64 x) {
  const f64 bounded = x < -1000 ? -1000.0 : x > 1000 ? 1000.0 : x;
  const f64 n = nearest_integer(bounded);
  const f64 t = (bounded - n) * 0.69314718055994530942;
  f64 p = 1.0 / 479001600;  // Taylor to degree 12: |t| <= 0.35
  p = p * t + 1.0 / 39916800;
  p = p * t + 1.0 / 3628800;
  p = p * t + 1.0 / 362880;
  p = p * t + 1.0 / 40320;
  p = p * t + 1.0 / 5040;
  p = p * t + 1.0 / 720;
  p = p * t + 1.0 / 120;
  p = p * t + 1.0 / 24;
  p = p * t + 1.0 / 6;
  p = p * t + 0.5;
  p = p * t + 1.0;
  p = p * t + 1.0;
  return p * power_of_two(i32(n));
}

VGPU_INLINE f64 log2_double(f64 x) {  // x normal and positive
  const u64 b = bits_of(x);
  const u64 above = u64((b & 0xfffffffffffffull) > 0x6a09e667f3bccull);  // mantissa > sqrt(2)
  const f64 m = as_f64((b & 0xfffffffffffffull) | (1023 - above) << 52);
  const f64 e = f64(i32(b >> 52) - 1023 + i32(above));
  const f64 s = (m - 1.0) / (m + 1.0), z = s * s;  // |s| <= 0.1716
  f64 p = 1.0 / 19;
  p = p * z + 1.0 / 17;
  p = p * z + 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  return e + s * p * 2.8853900817779268147;  // 2 / ln 2
}

// sin(2 pi x). The reduction is exact: x has at most 24 bits.
VGPU_INLINE f64 sin_turns(f64 x) {
  const f64 half_turns = nearest_integer(x * 2);
  const f64 r = x - half_turns * 0.5;
  const f64 t = r * 6.28318530717958647693, z = t * t;  // |t| <= pi / 2
  f64 p = -1.0 / 51090942171709440000.0;
  p = p * z + 1.0 / 121645100408832000.0;
  p = p * z - 1.0 / 355687428096000.0;
  p = p * z + 1.0 / 1307674368000.0;
  p = p * z - 1.0 / 6227020800.0;
  p = p * z + 1.0 / 39916800;
  p = p * z - 1.0 / 362880;
  p = p * z + 1.0 / 5040;
  p = p * z - 1.0 / 120;
  p = p * z + 1.0 / 6;
  const f64 s = t - t * z * p;
  const bool odd = (i64(half_turns) & 1) != 0;
  return odd ? -s : s;
}

// The functions below take and return float; the f16 ones round the result once more (24 >= 2 * 11
// + 2 bits, so rcp, sqrt and rsq stay correctly rounded).
VGPU_INLINE f32 exp2_f32(f32 x) { return is_nan(x) ? quieted(x) : f32(exp2_double(f64(x))); }

VGPU_INLINE f32 log2_f32(f32 x) {
  const f32 r = f32(log2_double(f64(x)));
  const f32 special = is_nan(x)        ? quieted(x)
                      : is_zero(x)     ? as_f32(0xff800000u)
                      : is_negative(x) ? default_nan<f32>()
                                       : x;
  return is_nan(x) || is_zero(x) || is_negative(x) || is_inf(x) ? special : r;
}

// Out of range (the hardware reduces only [-256, 256]) sine is 0 and cosine is 1.
VGPU_INLINE f32 trig_special(f32 x, f32 in_range, f32 out_of_range) {
  const f32 large = is_nan(x) ? quieted(x) : is_inf(x) ? default_nan<f32>() : out_of_range;
  return magnitude(x) > 0x43800000u ? large : in_range;
}
VGPU_INLINE f64 trig_argument(f32 x) { return magnitude(x) > 0x43800000u ? 0.0 : f64(x); }
VGPU_INLINE f32 sin_f32(f32 x) {
  const f32 r = f32(sin_turns(trig_argument(x)));
  return trig_special(x, is_zero(r) ? with_sign(r, is_negative(x)) : r, 0.0f);
}
VGPU_INLINE f32 cos_f32(f32 x) {
  const f32 r = f32(sin_turns(trig_argument(x) + 0.25));
  return trig_special(x, is_zero(r) ? 0.0f : r, 1.0f);
}

VGPU_INLINE f32 host_sqrt(f32 x) { return __builtin_sqrtf(x); }
VGPU_INLINE f64 host_sqrt(f64 x) { return __builtin_sqrt(x); }

// An invalid operation's NaN is the device's own; an input NaN is quieted.
template <class F>
VGPU_INLINE F settle_nan(F result, F x) {
  return is_nan(x) ? quieted(x) : is_nan(result) ? default_nan<F>() : result;
}
VGPU_INLINE f32 rcp_f32(f32 x) { return settle_nan(1.0f / x, x); }
VGPU_INLINE f32 sqrt_f32(f32 x) { return settle_nan(host_sqrt(x), x); }
VGPU_INLINE f32 rsq_f32(f32 x) { return settle_nan(f32(1.0 / host_sqrt(f64(x))), x); }
VGPU_INLINE f64 rcp_f64(f64 x) { return settle_nan(1.0 / x, x); }
VGPU_INLINE f64 sqrt_f64(f64 x) { return settle_nan(host_sqrt(x), x); }
VGPU_INLINE f64 rsq_f64(f64 x) { return settle_nan(1.0 / host_sqrt(x), x); }

// x * 2^n rounded once. The factors of f64 are arranged so that only the last product can be
// inexact, whatever n is.
VGPU_INLINE f32 ldexp_f32(f32 x, i32 n) {
  const i32 bounded = n < -400 ? -400 : n > 400 ? 400 : n;
  return settle_nan(f32(f64(x) * power_of_two(bounded)), x);
}
VGPU_INLINE f64 ldexp_f64(f64 x, i32 n) {
  i32 rest = n < -2200 ? -2200 : n > 2200 ? 2200 : n;
  f64 r = x;
  for (int step = 0; step < 2; ++step) {
    const i32 part = rest < -1022 ? -969 : rest > 1023 ? 1023 : 0;
    r *= power_of_two(part);
    rest -= part;
  }
  rest = rest < -1022 ? -1022 : rest > 1023 ? 1023 : rest;
  return settle_nan(r * power_of_two(rest), x);
}
VGPU_INLINE f32 ldexp_half(f32 x, i32 n) {  // exact: an f16 value has 11 bits
  const i32 bounded = n < -60 ? -60 : n > 60 ? 60 : n;
  return settle_nan(x * f32(power_of_two(bounded)), x);
}

// Mantissa in [0.5, 1) and its exponent; zero, infinity and NaN have exponent 0.
template <class F>
VGPU_INLINE i32 frexp_shift(F x) {  // how far a denormal's leading one is from the implicit bit
  const u64 m = magnitude(x);
  return is_denormal(x) ? __builtin_clzll(m | 1) - (63 - FloatFormat<F>::mantissa) : 0;
}
template <class F>
VGPU_INLINE i32 frexp_exponent(F x) {
  const i32 field = is_denormal(x) ? 1 - frexp_shift(x) : exponent_field(x);
  return is_zero(x) || is_inf(x) || is_nan(x) ? 0 : field - FloatFormat<F>::bias + 1;
}
template <class F>
VGPU_INLINE F frexp_mantissa(F x) {
  using Format = FloatFormat<F>;
  using Bits = typename Format::Bits;
  const Bits fraction_mask = Bits((Bits(1) << Format::mantissa) - 1);
  const Bits fraction = Bits(Bits(magnitude(x) << frexp_shift(x)) & fraction_mask);
  const Bits half = Bits(Bits(Format::bias - 1) << Format::mantissa);
  const F r = with_sign(from_bits<F>(Bits(half | fraction)), is_negative(x));
  return is_nan(x) ? quieted(x) : is_zero(x) || is_inf(x) ? x : r;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
