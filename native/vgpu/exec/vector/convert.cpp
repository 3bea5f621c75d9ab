// Conversion opcodes.
#include "exec/float/elementary.h"
#include "exec/float/fp8.h"
#include "exec/vector/opcode/engine.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

constexpr HalfRounding kTowardZero = {0, {0, 0}, {0x7bff, 0x7bff}};

// Not f32(x): hosts without unsigned conversion build that from a difference, which gives -0 for 0
// when rounding down. The same difference here, and its sign removed.
VGPU_INLINE f32 unsigned_to_f32(u32 x) {
  const f64 exact = as_f64(0x433ull << 52 | x) - 0x1p52;
  return as_f32(magnitude(f32(exact)));
}

template <class F>
VGPU_INLINE i32 to_i32(F x) {
  constexpr F limit = F(2147483648.0);
  return x != x ? 0 : x >= limit ? 0x7fffffff : x < -limit ? i32(0x80000000u) : i32(x);
}
template <class F>
VGPU_INLINE u32 to_u32(F x) {
  return !(x > F(0)) ? 0u : x >= F(4294967296.0) ? 0xffffffffu : u32(i64(x));
}
VGPU_INLINE i32 to_range(f32 x, f32 low, f32 high) {  // |bounds| <= 65535
  return x != x ? 0 : i32(x < low ? low : x > high ? high : x);
}
VGPU_INLINE i32 fixed_point(f32 x, f64 low, f64 one) {
  const f64 bounded = x != x ? 0.0 : x < low ? low : x > 1 ? 1.0 : f64(x);
  return i32(nearest_integer(bounded * one));
}
VGPU_INLINE f32 quiet(f32 x) { return is_nan(x) ? quieted(x) : x; }

VGPU_INLINE u32 pack(i32 low, i32 high) { return (u32(low) & 0xffff) | u32(high) << 16; }
VGPU_INLINE u32 insert_byte(u32 old, u32 position, u32 byte) {
  const u32 shift = 8 * (position & 3);
  return (old & ~(0xffu << shift)) | byte << shift;
}
template <class Format>
VGPU_INLINE u16 pack_fnuz(f32 low, f32 high, bool keep_finite) {
  return u16(to_fnuz<Format>(low, nullptr, keep_finite) |
             to_fnuz<Format>(high, nullptr, keep_finite) << 8);
}

#define OP VGPU_DEFINE_OP
#include "exec/vector/tables/convert.inc"
#undef OP

const VectorOp kTable[] = {
#define OP VGPU_TABLE_ENTRY
#include "exec/vector/tables/convert.inc"
};

}  // namespace

VectorTable vector_convert_ops() { return {kTable, sizeof kTable / sizeof *kTable}; }

}  // namespace VGPU_TARGET
}  // namespace vgpu
