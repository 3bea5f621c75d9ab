// SOP1, SOP2, SOPC, SOPK, SOPP, SMEM.
#include "isa/decode/formats.h"
#include "isa/decode/operand.h"
#include "isa/decode/rows.h"

namespace vgpu {
namespace isa {
namespace {

// A scalar source field; consumes the literal dword when it asks for one.
bool scalar_source(const OperandType& type, unsigned encoding, const Code& code, Inst& inst,
                   Operand& operand) {
  if (!type.present()) return true;
  if (encoding == kLiteral && code.second() != nullptr) {
    inst.imm = static_cast<int32_t>(*code.second());
    inst.bytes = 8;
  }
  return decode_source(types::sgpr(type.dwords, type.constant), encoding, code.second(), operand);
}

bool scalar_destination(const OperandType& type, unsigned encoding, Operand& operand) {
  return !type.present() || decode_scalar(type.dwords, encoding, operand);
}

bool decode_sop(Format format, const Sop12cRow* row, unsigned sdst, const Code& code, Inst& inst) {
  if (row == nullptr) return false;
  inst.op = row->op;
  inst.format = format;
  const uint32_t word = code.words[0];
  if (row->gpr_idx()) inst.imm = static_cast<int32_t>(bits(word, 15, 8));
  return scalar_destination(row->dst, sdst, inst.dst) &&
         scalar_source(row->src0, bits(word, 7, 0), code, inst, inst.src[0]) &&
         scalar_source(row->src1, bits(word, 15, 8), code, inst, inst.src[1]);
}

}  // namespace

bool decode_sop1(const Code& code, Inst& inst) {
  const uint32_t word = code.words[0];
  return decode_sop(Format::SOP1, sop1_row(bits(word, 15, 8)), bits(word, 22, 16), code, inst);
}

bool decode_sop2(const Code& code, Inst& inst) {
  const uint32_t word = code.words[0];
  return decode_sop(Format::SOP2, sop2_row(bits(word, 29, 23)), bits(word, 22, 16), code, inst);
}

bool decode_sopc(const Code& code, Inst& inst) {
  return decode_sop(Format::SOPC, sopc_row(bits(code.words[0], 22, 16)), 0, code, inst);
}

bool decode_sopk(const Code& code, Inst& inst) {
  const uint32_t word = code.words[0];
  const SopkRow* row = sopk_row(bits(word, 27, 23));
  if (row == nullptr) return false;
  inst.op = row->op;
  inst.format = Format::SOPK;
  inst.imm = static_cast<int16_t>(word);
  if (row->literal) {
    if (code.second() == nullptr) return false;
    inst.bytes = 8;
    inst.src[0] = {OperandKind::Constant, 1, 0, kLiteral, *code.second()};
    return true;
  }
  return scalar_destination(row->reg, bits(word, 22, 16), row->reads ? inst.src[0] : inst.dst);
}

bool decode_sopp(const Code& code, Inst& inst) {
  const uint32_t word = code.words[0];
  const SoppRow* row = sopp_row(bits(word, 22, 16));
  if (row == nullptr) return false;
  inst.op = row->op;
  inst.format = Format::SOPP;
  inst.imm = static_cast<int16_t>(word);
  return row->immediate != Immediate::ZERO || inst.imm == 0;
}

namespace {

// The offset is a 21-bit signed immediate, an SGPR, or both (soffset_en with imm).
bool smem_offset(const Code& code, Inst& inst) {
  const uint32_t low = code.words[0], high = code.words[1];
  const bool immediate = bits(low, 17, 17) != 0, sgpr = bits(low, 14, 14) != 0;
  if (immediate) inst.offset = static_cast<int32_t>(bits(high, 20, 0) << 11) >> 11;
  if (immediate && !sgpr) return true;
  const unsigned encoding = sgpr ? bits(high, 31, 25) : bits(high, 6, 0);
  return decode_scalar(1, encoding, inst.src[1]);
}

}  // namespace

bool decode_smem(const Code& code, Inst& inst) {
  const uint32_t word = code.words[0];
  const SmemRow* row = smem_row(bits(word, 25, 18));
  if (row == nullptr || code.available < 2) return false;
  inst.op = row->op;
  inst.format = Format::SMEM;
  inst.bytes = 8;
  const unsigned sdata = bits(word, 12, 6);
  if (row->kind == SmemKind::PROBE) inst.imm = static_cast<int32_t>(sdata);
  // Neither m0 nor exec travels through the scalar cache.
  if (row->data != 0 && (sdata >= kM0Encoding || !decode_scalar(row->data, sdata, inst.dst)))
    return false;
  if (row->base == 0) return bits(word, 17, 17) == 0;
  inst.sc0 =
      row->kind != SmemKind::PROBE && row->kind != SmemKind::DISCARD && bits(word, 16, 16) != 0;
  return decode_scalar(row->base, bits(word, 5, 0) * 2, inst.src[0]) && smem_offset(code, inst);
}

}  // namespace isa
}  // namespace vgpu
