// Vector comparisons.
#include "exec/float/compare.h"
#include "exec/vector/opcode/engine.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

VGPU_INLINE f32 number(f32 x) { return x; }
VGPU_INLINE f64 number(f64 x) { return x; }
VGPU_INLINE f32 number(f16 x) { return to_f32(x); }
template <class F>
VGPU_INLINE bool is_ordered(F a, F b) {
  return !is_nan(a) && !is_nan(b);
}

// v_cmpx runs the kernel of its v_cmp; only what is written differs.
#define COMPARISON(relation, type, A, B, flags_, expression)                          \
  VGPU_DEFINE_OP(v_cmp_##relation##_##type, none, A, B, none, (flags_) | kWritesMask, \
                 (out = (expression), none{}))                                        \
  struct v_cmpx_##relation##_##type : v_cmp_##relation##_##type {                     \
    static constexpr u32 flags = v_cmp_##relation##_##type::flags | kWritesExec;      \
  };
#define CMP(relation, type, T, expression) COMPARISON(relation, type, T, T, kPlainOp, expression)
#define CLASS(type, T) COMPARISON(class, type, T, u32, kRawBits, (b >> class_bit(a) & 1) != 0)
#include "exec/vector/tables/compare.inc"
#undef CMP
#undef CLASS

const VectorOp kTable[] = {
#define CMP(relation, type, T, expression)      \
  VGPU_TABLE_ENTRY(v_cmp_##relation##_##type, ) \
  VGPU_TABLE_ENTRY(v_cmpx_##relation##_##type, )
#define CLASS(type, T)                   \
  VGPU_TABLE_ENTRY(v_cmp_class_##type, ) \
  VGPU_TABLE_ENTRY(v_cmpx_class_##type, )
#include "exec/vector/tables/compare.inc"
};

}  // namespace

VectorTable vector_compare_ops() { return {kTable, sizeof kTable / sizeof *kTable}; }

}  // namespace VGPU_TARGET
}  // namespace vgpu
