// Bit patterns of IEEE floats: casts, NaN tests and quieting, shared by vector and matrix handlers.
// Everything here is inline inside VGPU_TARGET so that no copy made for one host instruction set
// can be linked into another.
#pragma once

#include <cstdint>

#include "exec/wave/handlers.h"
#include "exec/wave/wave.h"

namespace vgpu {
namespace VGPU_TARGET {

using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using f32 = float;
using f64 = double;

struct f16 {  // IEEE half as stored; arithmetic happens in float or double
  u16 bits;
};

VGPU_INLINE u32 bits_of(f32 x) { return __builtin_bit_cast(u32, x); }
VGPU_INLINE u64 bits_of(f64 x) { return __builtin_bit_cast(u64, x); }
VGPU_INLINE u16 bits_of(f16 x) { return x.bits; }
VGPU_INLINE f32 as_f32(u32 x) { return __builtin_bit_cast(f32, x); }
VGPU_INLINE f64 as_f64(u64 x) { return __builtin_bit_cast(f64, x); }

// What distinguishes the three formats. `default_nan` is what the device returns for an invalid
// operation on non-NaN inputs: negative and quiet, as the ISA's division fix-up spells out.
template <class F>
struct FloatFormat;
template <>
struct FloatFormat<f32> {
  using Bits = u32;
  static constexpr int mantissa = 23, bias = 127;
  static constexpr Bits sign = 0x80000000u, infinity = 0x7f800000u, quiet = 0x00400000u;
  static constexpr Bits default_nan = 0xffc00000u, one = 0x3f800000u;
};
template <>
struct FloatFormat<f64> {
  using Bits = u64;
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr Bits sign = 1ull << 63, infinity = 0x7ffull << 52, quiet = 1ull << 51;
  static constexpr Bits default_nan = 0xfffull << 52 | 1ull << 51, one = 0x3ffull << 52;
};
template <>
struct FloatFormat<f16> {
  using Bits = u16;
  static constexpr int mantissa = 10, bias = 15;
  static constexpr Bits sign = 0x8000, infinity = 0x7c00, quiet = 0x0200;
  static constexpr Bits default_nan = 0xfe00, one = 0x3c00;
};

template <class F>
VGPU_INLINE F from_bits(typename FloatFormat<F>::Bits b) {
  return __builtin_bit_cast(F, b);
}
template <class F>
VGPU_INLINE typename FloatFormat<F>::Bits magnitude(F x) {
  return typename FloatFormat<F>::Bits(bits_of(x) & ~FloatFormat<F>::sign);
}
template <class F>
VGPU_INLINE bool is_nan(F x) {
  return magnitude(x) > FloatFormat<F>::infinity;
}
template <class F>
VGPU_INLINE bool is_inf(F x) {
  return magnitude(x) == FloatFormat<F>::infinity;
}
template <class F>
VGPU_INLINE bool is_zero(F x) {
  return magnitude(x) == 0;
}
template <class F>
VGPU_INLINE bool is_signaling(F x) {
  return is_nan(x) && !(bits_of(x) & FloatFormat<F>::quiet);
}
template <class F>
VGPU_INLINE bool is_negative(F x) {
  return (bits_of(x) & FloatFormat<F>::sign) != 0;
}
template <class F>
VGPU_INLINE F quieted(F x) {
  return from_bits<F>(typename FloatFormat<F>::Bits(bits_of(x) | FloatFormat<F>::quiet));
}
template <class F>
VGPU_INLINE F default_nan() {
  return from_bits<F>(FloatFormat<F>::default_nan);
}
template <class F>
VGPU_INLINE F with_sign(F x, bool negative) {
  using Format = FloatFormat<F>;
  return from_bits<F>(
      typename Format::Bits(magnitude(x) | (negative ? Format::sign : typename Format::Bits(0))));
}
template <class F>
VGPU_INLINE int exponent_field(F x) {
  return int(magnitude(x) >> FloatFormat<F>::mantissa);
}
template <class F>
VGPU_INLINE bool is_denormal(F x) {
  return exponent_field(x) == 0 && magnitude(x) != 0;
}
template <class F>
VGPU_INLINE F flushed(F x) {  // a denormal becomes a zero of its sign
  return is_denormal(x) ? with_sign(from_bits<F>(0), is_negative(x)) : x;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
