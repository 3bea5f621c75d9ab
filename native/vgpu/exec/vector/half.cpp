// Half precision vector opcodes.
#include "exec/float/division.h"
#include "exec/vector/opcode/engine.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

// Inside a table expression: to f16 as MODE rounds.
#define rounded(x) to_f16((x), mode.half)

VGPU_INLINE f32 round_even(f32 x) {
  constexpr f32 magic = 0x1p23f;
  const f32 m = as_f32(magnitude(x));
  return with_sign(m < magic ? (m + magic) - magic : x, is_negative(x));
}

VGPU_INLINE f16 fraction(f16 x, const Mode& mode) {
  const f32 v = to_f32(x);
  const f16 r = rounded(v - __builtin_floorf(v));
  return r.bits == FloatFormat<f16>::one ? f16{u16(FloatFormat<f16>::one - 1)} : r;
}

// The unfused multiply-add: product and sum are both rounded.
VGPU_INLINE f16 multiply_add(f16 a, f16 b, f16 c, const Mode& mode) {
  return rounded(to_f32(rounded(to_f32(a) * to_f32(b))) + to_f32(c));
}

#define OP VGPU_DEFINE_OP
#include "exec/vector/tables/half.inc"
#undef OP

const VectorOp kTable[] = {
#define OP VGPU_TABLE_ENTRY
#include "exec/vector/tables/half.inc"
};

}  // namespace

VectorTable vector_half_ops() { return {kTable, sizeof kTable / sizeof *kTable}; }

}  // namespace VGPU_TARGET
}  // namespace vgpu
