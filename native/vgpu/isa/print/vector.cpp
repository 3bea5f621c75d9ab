// Assembly operands and modifiers of VOP1, VOP2, VOPC, VOP3 and VOP3P.
#include "isa/decode/formats.h"
#include "isa/decode/operand.h"
#include "isa/decode/rows.h"
#include "isa/print/print.h"

namespace vgpu {
namespace isa {
namespace {

void append(std::string& text, const std::string& part) {
  if (!text.empty()) text += ", ";
  text += part;
}

// Constants are negated as neg(1), because -1 is another constant.
std::string source_text(const Inst& inst, unsigned index, ConstantType type, bool sext) {
  const Operand& operand = inst.src[index];
  std::string text = operand_text(operand, type, inst.words[1]);
  const bool abs = (inst.abs >> index & 1) != 0, neg = (inst.neg >> index & 1) != 0;
  if (sext) return "sext(" + text + ")";
  if (abs) text = "|" + text + "|";
  if (!neg) return text;
  return operand.kind == OperandKind::Constant && !abs ? "neg(" + text + ")" : "-" + text;
}

std::string output_modifiers(const Inst& inst) {
  static const char* const kOmod[] = {"", " mul:2", " mul:4", " div:2"};
  return std::string(inst.clamp ? " clamp" : "") + kOmod[inst.omod];
}

std::string sdwa_text(const Inst& inst, const VopRow& row) {
  static const char* const kSelect[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                        "WORD_0", "WORD_1", "DWORD"};
  static const char* const kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  std::string text = output_modifiers(inst);
  if (inst.format != Format::VOPC && row.sdwa.one == 0)
    text += std::string(" dst_sel:") + kSelect[inst.sdwa.dst_sel] +
            " dst_unused:" + kUnused[inst.sdwa.dst_unused];
  text += std::string(" src0_sel:") + kSelect[inst.sdwa.src_sel[0]];
  if (row.src1.present()) text += std::string(" src1_sel:") + kSelect[inst.sdwa.src_sel[1]];
  return text;
}

std::string dpp_control(unsigned ctrl) {
  if (ctrl <= 0xff) {
    std::string lanes = "quad_perm:[" + std::to_string(ctrl & 3);
    for (unsigned i = 1; i < 4; ++i) lanes += "," + std::to_string(ctrl >> 2 * i & 3);
    return lanes + "]";
  }
  const std::string amount = std::to_string(ctrl & 15);
  switch (ctrl >> 4) {
    case 0x10: return "row_shl:" + amount;
    case 0x11: return "row_shr:" + amount;
    case 0x12: return "row_ror:" + amount;
    case 0x15: return "row_newbcast:" + amount;
    default: break;
  }
  switch (ctrl) {
    case 0x130: return "wave_shl:1";
    case 0x134: return "wave_rol:1";
    case 0x138: return "wave_shr:1";
    case 0x13c: return "wave_ror:1";
    case 0x140: return "row_mirror";
    case 0x141: return "row_half_mirror";
    case 0x142: return "row_bcast:15";
    default: return "row_bcast:31";
  }
}

std::string dpp_text(const Inst& inst) {
  return " " + dpp_control(inst.dpp.ctrl) + " row_mask:" + hex(inst.dpp.row_mask) +
         " bank_mask:" + hex(inst.dpp.bank_mask) + (inst.dpp.bound_ctrl ? " bound_ctrl:1" : "");
}

const VopRow& vop_row(const Inst& inst) {
  const uint32_t word = inst.words[0];
  if (inst.format == Format::VOP1) return *vop1_row(bits(word, 16, 9));
  if (inst.format == Format::VOP2) return *vop2_row(bits(word, 30, 25));
  return *vopc_row(bits(word, 24, 17));
}

// Instructions without a longer encoding carry no suffix.
bool has_e64(const VopRow& row) {
  const bool literal = row.implied == Implied::LITERAL_SRC1 || row.implied == Implied::LITERAL_SRC2;
  return row.src0.present() && !row.dst.scalar && !row.dst.acc && !literal &&
         row.op != Op::v_swap_b32;
}

std::string vop_text(const Inst& inst, std::string& suffix) {
  const VopRow& row = vop_row(inst);
  const bool sdwa = inst.modifier == Modifier::Sdwa, dpp = inst.modifier == Modifier::Dpp;
  suffix = sdwa ? "_sdwa" : dpp ? "_dpp" : has_e64(row) ? "_e32" : "";
  std::string text;
  if (row.dst.present()) append(text, operand_text(inst.dst));
  if (inst.sdst.kind != OperandKind::None) append(text, operand_text(inst.sdst));
  for (unsigned i = 0; i < 3; ++i) {
    if (inst.src[i].kind == OperandKind::None) continue;
    const bool added = inst.format == Format::VOP2 && inst.src[i].encoding == kLiteral && i > 0;
    append(text, added ? hex(inst.words[1])  // fmamk and fmaak print all their literal
                       : source_text(inst, i, row.src0.constant, i < 2 && inst.sdwa.sext[i]));
  }
  if (sdwa) text += sdwa_text(inst, row);
  if (dpp) text += dpp_text(inst);
  return text;
}

// Sources whose neg bit means sext: those that have no abs. VOP3b has no room for abs at all.
unsigned int_modifiers(const Vop3Mods& mods, uint32_t high) {
  const unsigned neg = bits(mods.used, 12, 10), abs = bits(mods.used, 2, 0);
  const bool with_sdst = abs == 0 && neg == 7;
  return with_sdst ? 0 : bits(high, 31, 29) & neg & ~abs;
}

std::string vop3_text(const Inst& inst, std::string& suffix) {
  const unsigned opcode = bits(inst.words[0], 25, 16);
  const Vop3Row& row = *vop3_row(opcode);
  constexpr unsigned kFirstNative = 0x1c0;  // below lie the promoted VOPC, VOP2 and VOP1
  suffix = opcode < kFirstNative && row.src[0].present() ? "_e64" : "";
  std::string text;
  if (inst.dst.kind != OperandKind::None) append(text, operand_text(inst.dst));
  if (inst.sdst.kind != OperandKind::None) append(text, operand_text(inst.sdst));
  unsigned sources = 0;
  for (; sources < 3 && row.src[sources].present(); ++sources)
    append(text, source_text(inst, sources, row.src[sources].constant,
                             (int_modifiers(row.mods, inst.words[1]) >> sources & 1) != 0));
  // The destination's bit stands behind those of the sources; v_cvt_sr has one for no source.
  if ((row.mods.used & 0x20) != 0) sources = 3;
  const unsigned destination = inst.op_sel >> 3;
  const unsigned op_sel = (inst.op_sel & ((1u << sources) - 1)) | destination << sources;
  if ((row.mods.used & 0x40) != 0) append_bit_list(text, "op_sel", op_sel, sources + 1, false);
  return text + output_modifiers(inst);
}

std::string matrix_modifiers(const Inst& inst) {
  std::string text;
  if (inst.cbsz != 0) text += " cbsz:" + std::to_string(inst.cbsz);
  if (inst.abid != 0) text += " abid:" + std::to_string(inst.abid);
  const bool f64 = inst.op == Op::v_mfma_f64_16x16x4_f64 || inst.op == Op::v_mfma_f64_4x4x4_4b_f64;
  if (f64) append_bit_list(text, "neg", inst.blgp, 3, false);
  else if (inst.blgp != 0) text += " blgp:" + std::to_string(inst.blgp);
  return text;
}

std::string vop3p_text(const Inst& inst) {
  const Vop3pRow& row = *vop3p_row(bits(inst.words[0], 22, 16));
  std::string text = operand_text(inst.dst);
  unsigned sources = 0;
  for (; sources < 3 && row.src[sources].present(); ++sources) {
    const ConstantType type = row.src[sources].constant;
    append(text, row.kind == Vop3pKind::MIX ? source_text(inst, sources, type, false)
                                            : operand_text(inst.src[sources], type));
  }
  switch (row.kind) {
    case Vop3pKind::ACCVGPR: return text;
    case Vop3pKind::MFMA:
    case Vop3pKind::SMFMAC: return text + matrix_modifiers(inst);
    case Vop3pKind::MIX:
      append_bit_list(text, "op_sel", inst.op_sel, sources, false);
      append_bit_list(text, "op_sel_hi", inst.op_sel_hi, sources, false);
      break;
    case Vop3pKind::PACKED:
      append_bit_list(text, "op_sel", inst.op_sel, sources, false);
      append_bit_list(text, "op_sel_hi", inst.op_sel_hi, sources, true);
      append_bit_list(text, "neg_lo", inst.neg, sources, false);
      append_bit_list(text, "neg_hi", inst.neg_hi, sources, false);
      break;
  }
  return inst.clamp ? text + " clamp" : text;
}

}  // namespace

std::string vector_text(const Inst& inst, std::string& suffix) {
  if (inst.format == Format::VOP3) return vop3_text(inst, suffix);
  if (inst.format == Format::VOP3P) return vop3p_text(inst);
  return vop_text(inst, suffix);
}

}  // namespace isa
}  // namespace vgpu
