// Single precision vector opcodes.
#include "exec/float/division.h"
#include "exec/vector/opcode/engine.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

VGPU_INLINE f32 round_even(f32 x) {
  constexpr f32 magic = 0x1p23f;  // from here on every float is an integer
  const f32 m = as_f32(magnitude(x));
  return with_sign(m < magic ? (m + magic) - magic : x, is_negative(x));
}

// The hardware's result stays below one even where the subtraction rounds up to it.
VGPU_INLINE f32 fraction(f32 x) {
  const f32 r = x - __builtin_floorf(x);
  return r >= 1.0f ? 0x1.fffffep-1f : r;
}

// Which axis a direction (x, y, z) is closest to; z before y before x on ties.
enum Axis { kX, kY, kZ };
VGPU_INLINE Axis major_axis(f32 x, f32 y, f32 z) {
  const f32 ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
  return az >= ax && az >= ay ? kZ : ay >= ax ? kY : kX;
}
VGPU_INLINE f32 cube_major(f32 x, f32 y, f32 z) {
  const Axis axis = major_axis(x, y, z);
  return axis == kZ ? z : axis == kY ? y : x;
}
VGPU_INLINE f32 cube_face(f32 x, f32 y, f32 z) {
  const Axis axis = major_axis(x, y, z);
  return (axis == kZ ? 4.0f : axis == kY ? 2.0f : 0.0f) + (cube_major(x, y, z) < 0 ? 1.0f : 0.0f);
}
VGPU_INLINE f32 cube_s(f32 x, f32 y, f32 z) {
  const Axis axis = major_axis(x, y, z);
  return axis == kZ ? (z < 0 ? -x : x) : axis == kY ? x : x < 0 ? z : -z;
}
VGPU_INLINE f32 cube_t(f32 x, f32 y, f32 z) {
  return major_axis(x, y, z) == kY ? (y < 0 ? -z : z) : -y;
}

#define OP VGPU_DEFINE_OP
#include "exec/vector/tables/float32.inc"
#undef OP

const VectorOp kTable[] = {
#define OP VGPU_TABLE_ENTRY
#include "exec/vector/tables/float32.inc"
};

}  // namespace

VectorTable vector_float32_ops() { return {kTable, sizeof kTable / sizeof *kTable}; }

}  // namespace VGPU_TARGET
}  // namespace vgpu
