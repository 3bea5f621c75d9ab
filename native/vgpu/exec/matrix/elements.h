// Elements of matrix operands: how many a dword holds and how they widen to the type that the
// products are summed in.
#pragma once

#include "exec/float/fp8.h"
#include "exec/float/half.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace matrix {

// Each format has the wide type, elements per dword (0: two dwords per element) and the widening
// of element `e` of a dword.
struct F32 {
  using Wide = f32;
  static constexpr int per_dword = 1;
  static VGPU_INLINE f32 widen(u32 dword, int) { return as_f32(dword); }
};

// xf32 keeps sign, exponent and ten bits of the mantissa. Rounded to nearest even here; a NaN
// stays one.
struct Xf32 {
  using Wide = f32;
  static constexpr int per_dword = 1;
  static VGPU_INLINE f32 widen(u32 dword, int) {
    constexpr u32 dropped = 0x1fff;
    const bool special = (dword & 0x7f800000) == 0x7f800000;
    const u32 rounded = (dword + (dropped >> 1) + (dword >> 13 & 1)) & ~dropped;
    return as_f32(special ? dword : rounded);
  }
};

struct F16 {
  using Wide = f32;
  static constexpr int per_dword = 2;
  static VGPU_INLINE f32 widen(u32 dword, int e) { return to_f32(f16{u16(dword >> (16 * e))}); }
};

struct Bf16 {
  using Wide = f32;
  static constexpr int per_dword = 2;
  static VGPU_INLINE f32 widen(u32 dword, int e) { return bf16_to_f32(u16(dword >> (16 * e))); }
};

struct Fp8 {
  using Wide = f32;
  static constexpr int per_dword = 4;
  static VGPU_INLINE f32 widen(u32 dword, int e) {
    return from_fnuz<VGPU_TARGET::Fp8>(dword >> (8 * e) & 0xff);
  }
};

struct Bf8 {
  using Wide = f32;
  static constexpr int per_dword = 4;
  static VGPU_INLINE f32 widen(u32 dword, int e) {
    return from_fnuz<VGPU_TARGET::Bf8>(dword >> (8 * e) & 0xff);
  }
};

struct I8 {
  using Wide = i32;
  static constexpr int per_dword = 4;
  static VGPU_INLINE i32 widen(u32 dword, int e) { return i32(int8_t(dword >> (8 * e))); }
};

struct F64 {
  using Wide = f64;
  static constexpr int per_dword = 0;
};

// One step of a sum: rounds once (fused).
VGPU_INLINE f32 multiply_add(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
VGPU_INLINE f64 multiply_add(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }

// Which NaN survives a sum depends on the host; the result gets the device's own.
VGPU_INLINE i32 settled(i32 x) { return x; }
VGPU_INLINE f32 settled(f32 x) { return is_nan(x) ? default_nan<f32>() : x; }
VGPU_INLINE f64 settled(f64 x) { return is_nan(x) ? default_nan<f64>() : x; }

}  // namespace matrix
}  // namespace VGPU_TARGET
}  // namespace vgpu
