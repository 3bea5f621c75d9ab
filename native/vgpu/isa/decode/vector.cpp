// VOP1, VOP2, VOPC with their SDWA and DPP forms; VOP3; VOP3P with the matrix instructions.
#include "isa/decode/formats.h"
#include "isa/decode/operand.h"
#include "isa/decode/rows.h"

namespace vgpu {
namespace isa {
namespace {

constexpr uint8_t kNoSelect = 7;  // SDWA selects count to 6
constexpr uint8_t kNoUnused = 3;  // dst_unused counts to 2

bool allowed(const Form& form, uint32_t word) {
  return form.exists && (word & form.zero) == 0 && (word & form.one) == form.one;
}

// src0 and src1 of SDWA are VGPRs, or with their S bit set scalar registers and inline constants.
bool sdwa_source(const OperandType& type, unsigned index, bool scalar, Operand& operand) {
  return decode_source({true, true, false, type.constant, type.dwords},
                       scalar ? index : index + kFirstVgpr, nullptr, operand);
}

bool decode_sdwa(const VopRow& row, const Code& code, Inst& inst) {
  if (code.second() == nullptr || !allowed(row.sdwa, *code.second())) return false;
  const uint32_t low = code.words[0], word = *code.second();
  inst.modifier = Modifier::Sdwa;
  inst.bytes = 8;
  Sdwa& sdwa = inst.sdwa;
  const bool compare = inst.format == Format::VOPC;
  if (compare) {
    sdwa.sdst = static_cast<uint8_t>(bits(word, 14, 8));
    sdwa.sd = bits(word, 15, 15) != 0;
  } else {
    sdwa.dst_sel = static_cast<uint8_t>(bits(word, 10, 8));
    sdwa.dst_unused = static_cast<uint8_t>(bits(word, 12, 11));
    inst.clamp = bits(word & row.sdwa.used, 13, 13) != 0;
    inst.omod = static_cast<uint8_t>(bits(word & row.sdwa.used, 15, 14));
    if (sdwa.dst_sel == kNoSelect || sdwa.dst_unused == kNoUnused) return false;
  }
  for (unsigned i = 0; i < 2; ++i) {
    const unsigned shift = 16 + 8 * i;
    sdwa.src_sel[i] = static_cast<uint8_t>(bits(word, shift + 2, shift));
    sdwa.sext[i] = bits(word & row.sdwa.used, shift + 3, shift + 3) != 0;
    inst.neg |= static_cast<uint8_t>(bits(word & row.sdwa.used, shift + 4, shift + 4) << i);
    inst.abs |= static_cast<uint8_t>(bits(word & row.sdwa.used, shift + 5, shift + 5) << i);
    if ((i == 0 || row.src1.present()) && sdwa.src_sel[i] == kNoSelect) return false;
  }
  return sdwa_source(row.src0, bits(word, 7, 0), bits(word, 23, 23) != 0, inst.src[0]) &&
         (!row.src1.present() ||
          sdwa_source(row.src0, bits(low, 16, 9), bits(word, 31, 31) != 0, inst.src[1]));
}

bool known_dpp_control(unsigned ctrl, bool wide) {
  const bool newbcast = ctrl >= 0x150 && ctrl <= 0x15f;
  if (wide) return newbcast;  // 64-bit DPP knows row_newbcast only
  if (ctrl <= 0xff || newbcast) return true;
  if (ctrl >= 0x100 && ctrl <= 0x12f) return ctrl % 16 != 0;  // row_shl, row_shr, row_ror
  const bool wave = ctrl == 0x130 || ctrl == 0x134 || ctrl == 0x138 || ctrl == 0x13c;
  return wave || (ctrl >= 0x140 && ctrl <= 0x143);  // mirrors and broadcasts
}

bool decode_dpp(const VopRow& row, const Code& code, Inst& inst) {
  if (code.second() == nullptr || !allowed(row.dpp, *code.second())) return false;
  const uint32_t low = code.words[0], word = *code.second(), used = word & row.dpp.used;
  inst.modifier = Modifier::Dpp;
  inst.bytes = 8;
  inst.dpp.ctrl = static_cast<uint16_t>(bits(word, 16, 8));
  inst.dpp.bound_ctrl = bits(word, 19, 19) != 0;
  inst.dpp.bank_mask = static_cast<uint8_t>(bits(word, 27, 24));
  inst.dpp.row_mask = static_cast<uint8_t>(bits(word, 31, 28));
  inst.neg = static_cast<uint8_t>(bits(used, 20, 20) | bits(used, 22, 22) << 1);
  inst.abs = static_cast<uint8_t>(bits(used, 21, 21) | bits(used, 23, 23) << 1);
  const bool wide = row.dst.dwords == 2 || row.src0.dwords == 2;
  if (row.op == Op::v_ldexp_f16) {  // the exponent is an integer: its neg bit means sext
    inst.sdwa.sext[1] = (inst.neg & 2) != 0;
    inst.neg &= 1;
  }
  if (!known_dpp_control(inst.dpp.ctrl, wide)) return false;
  return decode_vector(row.src0.dwords, bits(word, 7, 0), false, inst.src[0]) &&
         (!row.src1.present() ||
          decode_vector(row.src1.dwords, bits(low, 16, 9), false, inst.src[1]));
}

bool plain_sources(const VopRow& row, const Code& code, Inst& inst) {
  const unsigned src0 = bits(code.words[0], 8, 0);
  const bool implied_literal =
      row.implied == Implied::LITERAL_SRC1 || row.implied == Implied::LITERAL_SRC2;
  if (src0 == kLiteral || implied_literal) {
    if (code.second() == nullptr) return false;
    inst.imm = static_cast<int32_t>(*code.second());
    inst.bytes = 8;
  }
  if (!decode_source(row.src0, src0, code.second(), inst.src[0])) return false;
  return !row.src1.present() ||
         decode_vector(row.src1.dwords, bits(code.words[0], 16, 9), false, inst.src[1]);
}

bool implied_operands(const VopRow& row, const Code& code, Inst& inst) {
  switch (row.implied) {
    case Implied::NONE: return true;
    case Implied::VCC_INOUT: inst.sdst = vcc_operand(); [[fallthrough]];
    case Implied::VCC_IN: inst.src[2] = vcc_operand(); return true;
    case Implied::VCC_OUT: inst.sdst = vcc_operand(); return true;
    case Implied::LITERAL_SRC1: inst.src[2] = inst.src[1]; [[fallthrough]];
    case Implied::LITERAL_SRC2: {
      Operand& k = inst.src[row.implied == Implied::LITERAL_SRC1 ? 1 : 2];
      return decode_source(row.src0, kLiteral, code.second(), k);
    }
  }
  return false;
}

bool decode_vop(Format format, const VopRow* row, unsigned vdst, const Code& code, Inst& inst) {
  if (row == nullptr) return false;
  inst.op = row->op;
  inst.format = format;
  const unsigned src0 = bits(code.words[0], 8, 0);
  const bool sdwa = src0 == kSdwaMarker, dpp = src0 == kDppMarker;
  if (row->src0.present()) {
    if (sdwa && !decode_sdwa(*row, code, inst)) return false;
    if (dpp && !decode_dpp(*row, code, inst)) return false;
    if (!sdwa && !dpp && !plain_sources(*row, code, inst)) return false;
  }
  if (!row->dst.present()) return format == Format::VOPC || vdst == 0;
  if (row->dst.scalar) return decode_scalar(row->dst.dwords, vdst, inst.dst);
  return decode_vector(row->dst.dwords, vdst, row->dst.acc, inst.dst) &&
         implied_operands(*row, code, inst);
}

}  // namespace

bool decode_vop1(const Code& code, Inst& inst) {
  const uint32_t word = code.words[0];
  return decode_vop(Format::VOP1, vop1_row(bits(word, 16, 9)), bits(word, 24, 17), code, inst);
}

bool decode_vop2(const Code& code, Inst& inst) {
  const uint32_t word = code.words[0];
  return decode_vop(Format::VOP2, vop2_row(bits(word, 30, 25)), bits(word, 24, 17), code, inst);
}

bool decode_vopc(const Code& code, Inst& inst) {
  const VopRow* row = vopc_row(bits(code.words[0], 24, 17));
  if (!decode_vop(Format::VOPC, row, 0, code, inst)) return false;
  inst.sdst = vcc_operand();
  return !inst.sdwa.sd || decode_scalar(2, inst.sdwa.sdst, inst.sdst);
}

namespace {

// The three source fields of the long encodings; those of absent operands are zero.
bool long_sources(const OperandType (&types)[3], uint32_t high, Inst& inst) {
  for (unsigned i = 0; i < 3; ++i) {
    const unsigned encoding = bits(high, 9 * i + 8, 9 * i);
    if (types[i].present() ? !decode_source(types[i], encoding, nullptr, inst.src[i])
                           : encoding != 0)
      return false;
  }
  return true;
}

}  // namespace

bool decode_vop3(const Code& code, Inst& inst) {
  const uint32_t low = code.words[0];
  const Vop3Row* row = vop3_row(bits(low, 25, 16));
  if (row == nullptr || code.available < 2) return false;
  const uint32_t high = code.words[1];
  inst.op = row->op;
  inst.format = Format::VOP3;
  inst.bytes = 8;
  const bool scalar_out = row->sdst.present();
  const uint32_t raw =
      (bits(low, 15, 8) | bits(high, 31, 27) << 8) & (scalar_out ? 0x1f80 : 0x1fff);
  if ((raw & row->mods.zero) != 0) return false;
  const uint32_t mods = raw & row->mods.used;
  inst.abs = static_cast<uint8_t>(bits(mods, 2, 0));
  inst.op_sel = static_cast<uint8_t>(bits(mods, 6, 3));
  inst.clamp = bits(mods, 7, 7) != 0;
  inst.omod = static_cast<uint8_t>(bits(mods, 9, 8));
  inst.neg = static_cast<uint8_t>(bits(mods, 12, 10));
  // Integer sources have no abs; their neg bit would sign-extend what already is 32 bits wide.
  if (!scalar_out) inst.neg &= static_cast<uint8_t>(bits(row->mods.used, 2, 0));
  if (scalar_out && !decode_scalar(2, bits(low, 14, 8), inst.sdst)) return false;
  const unsigned vdst = bits(low, 7, 0);
  const bool compare = inst.op >= Op::v_cmp_class_f16 && inst.op <= Op::v_cmpx_u_f64;
  if (row->dst.scalar) {
    if (!decode_scalar(row->dst.dwords, vdst, compare ? inst.sdst : inst.dst)) return false;
  } else if (row->dst.present() ? !decode_vector(row->dst.dwords, vdst, false, inst.dst)
                                : vdst != 0) {
    return false;
  }
  return long_sources(row->src, high, inst);
}

namespace {

// op_sel_hi of src2 sits apart from the others; two-source operations have none.
bool packed_modifiers(const Vop3pRow& row, uint32_t low, uint32_t high, Inst& inst) {
  const bool three = row.src[2].present();
  inst.neg_hi = static_cast<uint8_t>(bits(low, 10, 8));
  inst.op_sel = static_cast<uint8_t>(bits(low, 13, 11));
  inst.op_sel_hi = static_cast<uint8_t>(bits(high, 28, 27) | bits(low, 14, 14) << 2);
  inst.clamp = bits(low, 15, 15) != 0;
  inst.neg = static_cast<uint8_t>(bits(high, 31, 29));
  if (row.kind == Vop3pKind::MIX) {  // whole operands: neg_hi is abs
    inst.abs = inst.neg_hi;
    inst.neg_hi = 0;
  }
  if (three) return true;
  inst.op_sel_hi &= 3;
  return (inst.neg_hi & 4) == 0 && (inst.op_sel & 4) == 0 && (inst.neg & 4) == 0;
}

bool matrix_operands(const Vop3pRow& row, uint32_t low, uint32_t high, Inst& inst) {
  const bool acc_cd = bits(low, 15, 15) != 0, sparse = row.kind == Vop3pKind::SMFMAC;
  inst.abid = static_cast<uint8_t>(bits(low, 14, 11));
  inst.cbsz = static_cast<uint8_t>(bits(low, 10, 8));
  inst.blgp = static_cast<uint8_t>(bits(high, 31, 29));
  if (sparse && inst.blgp != 0) return false;
  const bool acc[] = {bits(high, 27, 27) != 0, bits(high, 28, 28) != 0, acc_cd && !sparse};
  for (unsigned i = 0; i < 3; ++i) {
    OperandType type = row.src[i];
    type.acc = acc[i];
    if (!decode_source(type, bits(high, 9 * i + 8, 9 * i), nullptr, inst.src[i])) return false;
  }
  return decode_vector(row.dst.dwords, bits(low, 7, 0), acc_cd, inst.dst);
}

}  // namespace

bool decode_vop3p(const Code& code, Inst& inst) {
  const uint32_t low = code.words[0];
  const Vop3pRow* row = vop3p_row(bits(low, 22, 16));
  if (row == nullptr || code.available < 2) return false;
  const uint32_t high = code.words[1];
  inst.op = row->op;
  inst.format = Format::VOP3P;
  inst.bytes = 8;
  if (row->kind == Vop3pKind::MFMA || row->kind == Vop3pKind::SMFMAC)
    return matrix_operands(*row, low, high, inst);
  if (row->kind == Vop3pKind::ACCVGPR) {
    if (bits(low, 13, 8) != 0 || bits(high, 31, 29) != 0) return false;
  } else if (!packed_modifiers(*row, low, high, inst)) {
    return false;
  }
  OperandType sources[] = {row->src[0], row->src[1], row->src[2]};
  for (unsigned i = 0; i < 3 && row->kind == Vop3pKind::MIX; ++i)
    if ((inst.op_sel_hi >> i & 1) == 0) sources[i] = types::B32;  // a float instead of a half
  if (!long_sources(sources, high, inst)) return false;
  return decode_vector(row->dst.dwords, bits(low, 7, 0), row->dst.acc, inst.dst);
}

}  // namespace isa
}  // namespace vgpu
