// Packed and dot-product opcodes.
#include "exec/float/compare.h"
#include "exec/vector/opcode/engine.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

template <class T>
VGPU_INLINE i64 half_of(pk16 v, int k) {
  return T(v.bits >> (16 * k));
}
template <class T>
VGPU_INLINE i64 half_of(none, int) {
  return 0;
}
VGPU_INLINE f16 float_half_of(pkh v, int k) { return f16{u16(v.bits >> (16 * k))}; }
VGPU_INLINE f16 float_half_of(none, int) { return f16{0}; }

// Sum of products of all elements of `Bits` bits; T tells the signedness.
template <class T, int Bits>
VGPU_INLINE i64 dot(u32 a, u32 b) {
  constexpr int spare = int(sizeof(T)) * 8 - Bits;
  i64 sum = 0;
  for (int k = 0; k < 32; k += Bits) {
    const T x = T(T(a >> k << spare) >> spare), y = T(T(b >> k << spare) >> spare);
    sum += i64(x) * y;
  }
  return sum;
}

// Products of halves are exact in f32; the two additions round, low half first.
VGPU_INLINE f32 dot2(pkh a, pkh b, f32 c) {
  const f32 low = to_f32(float_half_of(a, 0)) * to_f32(float_half_of(b, 0));
  const f32 high = to_f32(float_half_of(a, 1)) * to_f32(float_half_of(b, 1));
  return (c + low) + high;
}

VGPU_INLINE f32 fused(f32 a, f32 b, f32 c) {
  const f32 r = __builtin_fmaf(a, b, c);
  return is_nan(r) ? first_nan<f32>(default_nan<f32>(), 0, a, b, c) : r;
}

#define OP VGPU_DEFINE_OP
#define SAT VGPU_DEFINE_SATURATING_OP
#define INT_EVAL(name, T, finish, expression)                                              \
  static VGPU_INLINE pk16 name(const Mode&, int, pk16 a, pk16 b, LoadedC c, bool, bool&) { \
    u32 r = 0;                                                                             \
    for (int k = 0; k < 2; ++k) {                                                          \
      const i64 x = half_of<T>(a, k), y = half_of<T>(b, k);                                \
      [[maybe_unused]] const i64 z = half_of<T>(c, k);                                     \
      r |= u32(u16(finish(expression))) << (16 * k);                                       \
    }                                                                                      \
    return pk16{r};                                                                        \
  }
#define INT(name, T, B_, C_, expression)                 \
  struct name {                                          \
    using Computes = name;                               \
    VGPU_VECTOR_TYPES(pk16, pk16, B_, C_, kSaturates)    \
    INT_EVAL(eval, T, T, expression)                     \
    INT_EVAL(eval_saturated, T, saturate<T>, expression) \
  };
#define HALF(name, C_, flags_, expression)                                                        \
  struct name {                                                                                   \
    using Computes = name;                                                                        \
    VGPU_VECTOR_TYPES(pkh, pkh, pkh, C_, flags_)                                                  \
    static VGPU_INLINE u32 half([[maybe_unused]] const Mode& mode, f16 x, f16 y,                  \
                                [[maybe_unused]] f16 z) {                                         \
      return (expression).bits;                                                                   \
    }                                                                                             \
    /* Not a loop over the halves: the lane loop only vectorises when it is the innermost. */     \
    static VGPU_INLINE pkh eval(const Mode& mode, int, pkh a, pkh b, LoadedC c, bool, bool&) {    \
      const u32 low = half(mode, float_half_of(a, 0), float_half_of(b, 0), float_half_of(c, 0));  \
      const u32 high = half(mode, float_half_of(a, 1), float_half_of(b, 1), float_half_of(c, 1)); \
      return pkh{low | high << 16};                                                               \
    }                                                                                             \
  };
#include "exec/vector/tables/packed.inc"
#undef OP
#undef SAT
#undef INT
#undef HALF

const VectorOp kTable[] = {
#define OP VGPU_TABLE_ENTRY
#define SAT VGPU_TABLE_ENTRY
#define INT(name, T, B_, C_, expression) VGPU_TABLE_ENTRY(name, )
#define HALF(name, C_, flags_, expression) VGPU_TABLE_ENTRY(name, )
#include "exec/vector/tables/packed.inc"
};

}  // namespace

VectorTable vector_packed_ops() { return {kTable, sizeof kTable / sizeof *kTable}; }

}  // namespace VGPU_TARGET
}  // namespace vgpu
