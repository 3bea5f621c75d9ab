// f16 and bf16 against f32 by integer arithmetic: the same bytes whether or not the host has F16C.
#pragma once

#include "exec/float/bits.h"

namespace vgpu {
namespace VGPU_TARGET {

// The two-bit round field of MODE.
enum class Round : u32 { NearestEven = 0, TowardPositive = 1, TowardNegative = 2, TowardZero = 3 };

VGPU_INLINE f32 to_f32(f16 h) {
  const u32 sign = u32(h.bits & 0x8000) << 16, body = h.bits & 0x7fff;
  const u32 normal = (body << 13) + (112u << 23);
  const u32 special = normal + (112u << 23);  // infinities and NaNs keep their payload
  const u32 denormal = bits_of(f32(i32(body)) * 0x1p-24f);
  const u32 r = body >= 0x7c00 ? special : body >= 0x0400 ? normal : denormal;
  return as_f32(sign | r);
}

// How to round to f16, as data so that lane loops need no branches.
struct HalfRounding {
  u32 nearest;      // all ones when rounding to nearest even
  u32 up[2];        // all ones when an inexact positive [0] or negative [1] value grows
  u32 overflow[2];  // what a finite value beyond the largest becomes, without sign
};
constexpr HalfRounding kHalfNearest = {~0u, {0, 0}, {0x7c00, 0x7c00}};

// `keep_finite` is MODE.FP16_OVFL: a finite value that overflows stays the largest finite one.
VGPU_INLINE HalfRounding half_rounding(Round round, bool keep_finite) {
  HalfRounding r = kHalfNearest;
  const bool directed = round != Round::NearestEven;
  r.nearest = directed ? 0 : ~0u;
  r.up[0] = round == Round::TowardPositive ? ~0u : 0;
  r.up[1] = round == Round::TowardNegative ? ~0u : 0;
  for (int negative = 0; negative < 2; ++negative)
    if (keep_finite || (directed && !r.up[negative])) r.overflow[negative] = 0x7bff;
  return r;
}

// Rounds once. A NaN keeps the top of its payload and becomes quiet.
VGPU_INLINE f16 to_f16(f32 x, const HalfRounding& rounding = kHalfNearest) {
  const u32 b = bits_of(x), sign = b >> 31, body = b & 0x7fffffff;
  const i32 e = i32(body >> 23);
  // Results below 2^-14 lose one more bit per binade. From 25 bits on only "not zero" is left.
  const i32 lost = e >= 113 ? 13 : 126 - e;
  const u32 shift = u32(lost > 25 ? 25 : lost);
  const u32 m = lost > 25 ? u32(body != 0) : (body & 0x7fffff) | 0x800000u;
  const u32 ones = (1u << shift) - 1;
  const u32 up = sign ? rounding.up[1] : rounding.up[0];
  const u32 overflow = sign ? rounding.overflow[1] : rounding.overflow[0];
  const u32 nearest = (ones >> 1) + ((m >> shift) & 1);
  const u32 q = (m + (nearest & rounding.nearest) + (ones & up)) >> shift;
  const u32 finite = e >= 113 ? u32(e - 113) * 1024u + q : q;
  const u32 bounded = finite >= 0x7c00 ? overflow : finite;
  const u32 nan = 0x7e00u | (body >> 13 & 0x3ff);
  const u32 r = body > 0x7f800000 ? nan : body == 0x7f800000 ? 0x7c00u : bounded;
  return f16{u16(sign << 15 | r)};
}

// p + q, where an inexact sum gets an odd last bit: what the sum loses (fast two-sum) is folded in,
// so that rounding the result again to at least two bits fewer rounds the exact sum.
template <class F>
VGPU_INLINE F add_odd(F p, F q) {
  using Format = FloatFormat<F>;
  const bool p_larger = magnitude(p) >= magnitude(q);
  const F big = p_larger ? p : q, small = p_larger ? q : p;
  const F sum = big + small;
  const F lost = small - (sum - big);
  const typename Format::Bits bits = bits_of(sum);
  const bool finite = (bits & Format::infinity) != Format::infinity;
  const bool fix = finite && lost != 0 && (bits & 1) == 0;
  const bool away = (lost < 0) == (sum < 0);
  return fix ? from_bits<F>(away ? bits + 1 : bits - 1) : sum;
}

// a * b + c of f16 values, ready to be rounded to f16: the product is exact in f32.
VGPU_INLINE f32 fma_f16_odd(f32 a, f32 b, f32 c) { return add_odd(a * b, c); }

VGPU_INLINE f32 bf16_to_f32(u16 b) { return as_f32(u32(b) << 16); }

VGPU_INLINE u16 f32_to_bf16(f32 x) {  // nearest even; NaN stays NaN, quiet
  const u32 b = bits_of(x);
  const u32 rounded = b + 0x7fff + (b >> 16 & 1);
  return u16((is_nan(x) ? b | 0x00400000u : rounded) >> 16);
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
