#include "exec/cover/kinds.h"

#include <array>
#include <cstddef>

namespace vgpu::cover {
namespace {

struct Entry {
  Op op;
  Kind kind;
};

constexpr Entry kEntries[] = {
    {Op::s_cbranch_scc0, Kind::Branch},
    {Op::s_cbranch_scc1, Kind::Branch},
    {Op::s_cbranch_vccz, Kind::Branch},
    {Op::s_cbranch_vccnz, Kind::Branch},
    {Op::s_cbranch_execz, Kind::Branch},
    {Op::s_cbranch_execnz, Kind::Branch},
    {Op::s_cbranch_cdbgsys, Kind::Branch},
    {Op::s_cbranch_cdbguser, Kind::Branch},
    {Op::s_cbranch_cdbgsys_or_user, Kind::Branch},
    {Op::s_cbranch_cdbgsys_and_user, Kind::Branch},
    {Op::s_cbranch_g_fork, Kind::Branch},
    {Op::s_cbranch_i_fork, Kind::Branch},
    {Op::s_cbranch_join, Kind::Branch},

    {Op::s_cmp_eq_i32, Kind::ScalarCompare},
    {Op::s_cmp_lg_i32, Kind::ScalarCompare},
    {Op::s_cmp_gt_i32, Kind::ScalarCompare},
    {Op::s_cmp_ge_i32, Kind::ScalarCompare},
    {Op::s_cmp_lt_i32, Kind::ScalarCompare},
    {Op::s_cmp_le_i32, Kind::ScalarCompare},
    {Op::s_cmp_eq_u32, Kind::ScalarCompare},
    {Op::s_cmp_lg_u32, Kind::ScalarCompare},
    {Op::s_cmp_gt_u32, Kind::ScalarCompare},
    {Op::s_cmp_ge_u32, Kind::ScalarCompare},
    {Op::s_cmp_lt_u32, Kind::ScalarCompare},
    {Op::s_cmp_le_u32, Kind::ScalarCompare},
    {Op::s_cmp_eq_u64, Kind::ScalarCompare},
    {Op::s_cmp_lg_u64, Kind::ScalarCompare},
    {Op::s_bitcmp0_b32, Kind::ScalarCompare},
    {Op::s_bitcmp1_b32, Kind::ScalarCompare},
    {Op::s_bitcmp0_b64, Kind::ScalarCompare},
    {Op::s_bitcmp1_b64, Kind::ScalarCompare},
    {Op::s_cmpk_eq_i32, Kind::ScalarCompare},
    {Op::s_cmpk_lg_i32, Kind::ScalarCompare},
    {Op::s_cmpk_gt_i32, Kind::ScalarCompare},
    {Op::s_cmpk_ge_i32, Kind::ScalarCompare},
    {Op::s_cmpk_lt_i32, Kind::ScalarCompare},
    {Op::s_cmpk_le_i32, Kind::ScalarCompare},
    {Op::s_cmpk_eq_u32, Kind::ScalarCompare},
    {Op::s_cmpk_lg_u32, Kind::ScalarCompare},
    {Op::s_cmpk_gt_u32, Kind::ScalarCompare},
    {Op::s_cmpk_ge_u32, Kind::ScalarCompare},
    {Op::s_cmpk_lt_u32, Kind::ScalarCompare},
    {Op::s_cmpk_le_u32, Kind::ScalarCompare},

#define CMP(relation, type, T, expression)              \
  {Op::v_cmp_##relation##_##type, Kind::VectorCompare}, \
      {Op::v_cmpx_##relation##_##type, Kind::VectorCompare},
#define CLASS(type, T) CMP(class, type, T, )
#include "exec/vector/tables/compare.inc"
#undef CMP
#undef CLASS

    {Op::s_cselect_b32, Kind::ScalarSelect},
    {Op::s_cselect_b64, Kind::ScalarSelect},
    {Op::s_cmov_b32, Kind::ScalarSelect},
    {Op::s_cmov_b64, Kind::ScalarSelect},
    {Op::s_cmovk_i32, Kind::ScalarSelect},
    {Op::v_cndmask_b32, Kind::VectorSelect},

    {Op::s_min_i32, Kind::ScalarExtreme},
    {Op::s_min_u32, Kind::ScalarExtreme},
    {Op::s_max_i32, Kind::ScalarExtreme},
    {Op::s_max_u32, Kind::ScalarExtreme},
    {Op::v_min_i16, Kind::VectorExtreme},
    {Op::v_min_u16, Kind::VectorExtreme},
    {Op::v_min_f16, Kind::VectorExtreme},
    {Op::v_min_i32, Kind::VectorExtreme},
    {Op::v_min_u32, Kind::VectorExtreme},
    {Op::v_min_f32, Kind::VectorExtreme},
    {Op::v_min_f64, Kind::VectorExtreme},
    {Op::v_max_i16, Kind::VectorExtreme},
    {Op::v_max_u16, Kind::VectorExtreme},
    {Op::v_max_f16, Kind::VectorExtreme},
    {Op::v_max_i32, Kind::VectorExtreme},
    {Op::v_max_u32, Kind::VectorExtreme},
    {Op::v_max_f32, Kind::VectorExtreme},
    {Op::v_max_f64, Kind::VectorExtreme},
    {Op::v_min3_i16, Kind::VectorExtreme},
    {Op::v_min3_u16, Kind::VectorExtreme},
    {Op::v_min3_f16, Kind::VectorExtreme},
    {Op::v_min3_i32, Kind::VectorExtreme},
    {Op::v_min3_u32, Kind::VectorExtreme},
    {Op::v_min3_f32, Kind::VectorExtreme},
    {Op::v_max3_i16, Kind::VectorExtreme},
    {Op::v_max3_u16, Kind::VectorExtreme},
    {Op::v_max3_f16, Kind::VectorExtreme},
    {Op::v_max3_i32, Kind::VectorExtreme},
    {Op::v_max3_u32, Kind::VectorExtreme},
    {Op::v_max3_f32, Kind::VectorExtreme},
    {Op::v_med3_i16, Kind::VectorExtreme},
    {Op::v_med3_u16, Kind::VectorExtreme},
    {Op::v_med3_f16, Kind::VectorExtreme},
    {Op::v_med3_i32, Kind::VectorExtreme},
    {Op::v_med3_u32, Kind::VectorExtreme},
    {Op::v_med3_f32, Kind::VectorExtreme},
    {Op::v_pk_min_i16, Kind::VectorExtreme},
    {Op::v_pk_min_u16, Kind::VectorExtreme},
    {Op::v_pk_min_f16, Kind::VectorExtreme},
    {Op::v_pk_max_i16, Kind::VectorExtreme},
    {Op::v_pk_max_u16, Kind::VectorExtreme},
    {Op::v_pk_max_f16, Kind::VectorExtreme},

    {Op::s_and_b64, Kind::MaskPair},
    {Op::s_or_b64, Kind::MaskPair},
    {Op::s_andn2_b64, Kind::MaskPair},
    {Op::s_orn2_b64, Kind::MaskPair},
    {Op::s_nand_b64, Kind::MaskPair},
    {Op::s_nor_b64, Kind::MaskPair},

    {Op::s_and_b32, Kind::ScalarAnd},
    {Op::v_and_b32, Kind::VectorAnd},
    {Op::v_and_or_b32, Kind::VectorAnd},
    {Op::s_bfe_u32, Kind::ScalarField},
    {Op::s_bfe_i32, Kind::ScalarField},
    {Op::s_bfe_u64, Kind::ScalarField},
    {Op::s_bfe_i64, Kind::ScalarField},
    {Op::v_bfe_u32, Kind::VectorField},
    {Op::v_bfe_i32, Kind::VectorField},

    {Op::v_mul_u32_u24, Kind::Unsigned24},
    {Op::v_mul_hi_u32_u24, Kind::Unsigned24},
    {Op::v_mad_u32_u24, Kind::Unsigned24},
    {Op::v_mul_i32_i24, Kind::Signed24},
    {Op::v_mul_hi_i32_i24, Kind::Signed24},
    {Op::v_mad_i32_i24, Kind::Signed24},

    {Op::v_cvt_f32_u32, Kind::ToFloat},
    {Op::v_cvt_f32_i32, Kind::ToFloat},
    {Op::v_cvt_f16_u16, Kind::ToFloat},
    {Op::v_cvt_f16_i16, Kind::ToFloat},
    {Op::v_cvt_u32_f32, Kind::ToInteger},
    {Op::v_cvt_i32_f32, Kind::ToInteger},
    {Op::v_cvt_u32_f64, Kind::ToInteger},
    {Op::v_cvt_i32_f64, Kind::ToInteger},
    {Op::v_cvt_u16_f16, Kind::ToInteger},
    {Op::v_cvt_i16_f16, Kind::ToInteger},
    {Op::v_cvt_rpi_i32_f32, Kind::ToInteger},
    {Op::v_cvt_flr_i32_f32, Kind::ToInteger},
};

constexpr auto by_opcode() {
  std::array<Kind, std::size_t(Op::count_)> kinds{};
  for (const Entry& entry : kEntries) kinds[std::size_t(entry.op)] = entry.kind;
  return kinds;
}
constexpr auto kKinds = by_opcode();

}  // namespace

Kind kind_of(Op op) { return op < Op::count_ ? kKinds[std::size_t(op)] : Kind::None; }

}  // namespace vgpu::cover
