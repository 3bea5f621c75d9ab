// Assembly operands of SOP1, SOP2, SOPC, SOPK, SOPP and SMEM.
#include "isa/decode/formats.h"
#include "isa/decode/rows.h"
#include "isa/print/print.h"

namespace vgpu {
namespace isa {
namespace {

void append(std::string& text, const std::string& part) {
  if (!text.empty()) text += ", ";
  text += part;
}

std::string small_or_hex(unsigned value) {
  return value <= 64 ? std::to_string(value) : hex(value);
}

std::string immediate_text(Immediate kind, unsigned value) {
  switch (kind) {
    case Immediate::ZERO: return "";
    case Immediate::HEX: return small_or_hex(value);
    case Immediate::BRANCH: return std::to_string(value);
    case Immediate::SIMM16:
    case Immediate::UIMM16: return hex(value);
    case Immediate::WAITCNT: return waitcnt_text(value);
    case Immediate::SENDMSG: return sendmsg_text(value);
    case Immediate::HWREG: return hwreg_text(value);
    case Immediate::GPR_IDX: return gpr_idx_text(value);
    case Immediate::ENDPGM: return value == 0 ? "" : std::to_string(value);
  }
  return "";
}

std::string sop_text(const Inst& inst, const Sop12cRow& row) {
  std::string text;
  if (row.dst.present()) append(text, operand_text(inst.dst));
  if (row.src0.present()) append(text, operand_text(inst.src[0], row.src0.constant, inst.words[1]));
  if (row.src1.present()) append(text, operand_text(inst.src[1], row.src1.constant, inst.words[1]));
  if (row.gpr_idx()) append(text, gpr_idx_text(bits(inst.words[0], 15, 8)));
  return text;
}

std::string sopk_text(const Inst& inst) {
  const SopkRow& row = *sopk_row(bits(inst.words[0], 27, 23));
  const std::string immediate = immediate_text(row.immediate, bits(inst.words[0], 15, 0));
  if (row.literal)
    return immediate + ", " + operand_text(inst.src[0], ConstantType::B32, inst.words[1]);
  const std::string reg = operand_text(row.reads ? inst.src[0] : inst.dst);
  const bool register_last = row.reads && row.immediate == Immediate::HWREG;
  return register_last ? immediate + ", " + reg : reg + ", " + immediate;
}

std::string smem_text(const Inst& inst) {
  const SmemRow& row = *smem_row(bits(inst.words[0], 25, 18));
  std::string text;
  if (row.data != 0) append(text, operand_text(inst.dst));
  if (row.kind == SmemKind::PROBE) append(text, small_or_hex(static_cast<unsigned>(inst.imm)));
  if (row.base == 0) return text;
  append(text, operand_text(inst.src[0]));
  const bool immediate = bits(inst.words[0], 17, 17) != 0;
  const std::string offset =
      inst.offset < 0 ? "-" + hex(static_cast<uint64_t>(-static_cast<int64_t>(inst.offset)))
                      : hex(static_cast<uint64_t>(inst.offset));
  const bool sgpr = inst.src[1].kind != OperandKind::None;
  append(text, sgpr ? operand_text(inst.src[1]) : offset);
  if (sgpr && immediate) text += " offset:" + offset;
  return inst.sc0 ? text + " glc" : text;
}

}  // namespace

std::string scalar_text(const Inst& inst) {
  const uint32_t word = inst.words[0];
  switch (inst.format) {
    case Format::SOP1: return sop_text(inst, *sop1_row(bits(word, 15, 8)));
    case Format::SOP2: return sop_text(inst, *sop2_row(bits(word, 29, 23)));
    case Format::SOPC: return sop_text(inst, *sopc_row(bits(word, 22, 16)));
    case Format::SOPK: return sopk_text(inst);
    case Format::SOPP:
      return immediate_text(sopp_row(bits(word, 22, 16))->immediate, bits(word, 15, 0));
    default: return smem_text(inst);
  }
}

}  // namespace isa
}  // namespace vgpu
