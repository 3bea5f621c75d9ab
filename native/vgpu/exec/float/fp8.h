// The FNUZ 8-bit floats of gfx942: one NaN (0x80), no infinities, no negative zero.
// fp8 is e4m3 with bias 8 (largest 240), bf8 is e5m2 with bias 16 (largest 57344).
#pragma once

#include "exec/float/bits.h"

namespace vgpu {
namespace VGPU_TARGET {

template <int Mantissa, int Bias>
struct Fnuz {
  static constexpr int mantissa = Mantissa, bias = Bias;
};
using Fp8 = Fnuz<3, 8>;
using Bf8 = Fnuz<2, 16>;
constexpr u32 kFnuzNan = 0x80, kFnuzLargest = 0x7f;

template <class Format>
VGPU_INLINE f32 from_fnuz(u32 code) {
  constexpr int m = Format::mantissa;
  const u32 sign = (code & 0x80) << 24, body = code & 0x7f;
  const u32 normal = (body << (23 - m)) + (u32(127 - Format::bias) << 23);
  const u32 denormal = bits_of(f32(i32(body)) * as_f32(u32(127 + 1 - Format::bias - m) << 23));
  const u32 r = (body >> m) != 0 ? normal : denormal;
  return as_f32((code & 0xff) == kFnuzNan ? FloatFormat<f32>::default_nan : sign | r);
}

// `random` is null for round to nearest even; otherwise its top bits are added to the bits that
// get lost before truncating (stochastic rounding, also into denormals). A finite value beyond the
// largest becomes NaN, or the largest when `keep_finite` (MODE.FP16_OVFL). Infinity becomes NaN.
template <class Format>
VGPU_INLINE u32 to_fnuz(f32 x, const u32* random, bool keep_finite) {
  constexpr int m = Format::mantissa, min_exponent = 128 - Format::bias, drop = 23 - m;
  const u32 b = bits_of(x), sign = b >> 31, body = b & 0x7fffffff;
  const i32 e = i32(body >> 23);
  const i32 lost = e >= min_exponent ? drop : drop + min_exponent - e;
  const u32 shift = u32(lost > 25 ? 25 : lost);
  const u32 significand = lost > 25 ? 0u : (body & 0x7fffff) | (e != 0 ? 0x800000u : 0u);
  const u32 nearest = ((1u << shift) - 1) / 2 + (significand >> shift & 1);
  const u32 bias = random ? *random >> (32 - shift) : nearest;
  const u32 q = (significand + bias) >> shift;
  const u32 code = e >= min_exponent ? u32(e - min_exponent) * (1u << m) + q : q;
  const u32 overflow = keep_finite ? sign << 7 | kFnuzLargest : kFnuzNan;
  const u32 finite = code > kFnuzLargest ? overflow : code == 0 ? 0u : sign << 7 | code;
  return body >= 0x7f800000 ? kFnuzNan : finite;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
