// Vector comparisons.
#include "float_compare.h"
#include "vector_engine.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

VGPU_INLINE f32 number(f32 x) { return x; }
VGPU_INLINE f64 number(f64 x) { return x; }
VGPU_INLINE f32 number(f16 x) { return to_f32(x); }
template <class F>
VGPU_INLINE bool is_ordered(F a, F b) { return !is_nan(a) && !is_nan(b); }

// v_cmp and v_cmpx share a kernel's expression; only the flags differ.
#define COMPARISON(name, A, B, flags, expression) \
  VGPU_DEFINE_OP(name, none, A, B, none, (flags) | kWritesMask, (out = (expression), none{}))
#define CMP(relation, type, T, expression)                                  \
  COMPARISON(v_cmp_##relation##_##type, T, T, kPlainOp, expression)         \
  COMPARISON(v_cmpx_##relation##_##type, T, T, kWritesExec, expression)
#define CLASS(type, T)                                                                             \
  COMPARISON(v_cmp_class_##type, T, u32, kKeepsDenormals, (b >> class_bit(a) & 1) != 0)            \
  COMPARISON(v_cmpx_class_##type, T, u32, kKeepsDenormals | kWritesExec, (b >> class_bit(a) & 1) != 0)
#include "vector_compare.inc"
#undef CMP
#undef CLASS

const VectorOp kTable[] = {
#define CMP(relation, type, T, expression)         \
  VGPU_TABLE_ENTRY(v_cmp_##relation##_##type, )    \
  VGPU_TABLE_ENTRY(v_cmpx_##relation##_##type, )
#define CLASS(type, T) VGPU_TABLE_ENTRY(v_cmp_class_##type, ) VGPU_TABLE_ENTRY(v_cmpx_class_##type, )
#include "vector_compare.inc"
};

}  // namespace

VectorTable vector_compare_ops() { return {kTable, sizeof kTable / sizeof *kTable}; }

}  // namespace VGPU_TARGET
}  // namespace vgpu
