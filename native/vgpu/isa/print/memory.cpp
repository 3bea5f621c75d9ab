// Assembly operands of DS, FLAT, GLOBAL, SCRATCH, MUBUF and MTBUF.
#include "isa/decode/formats.h"
#include "isa/decode/rows.h"
#include "isa/print/print.h"

namespace vgpu {
namespace isa {
namespace {

void append(std::string& text, const Operand& operand) {
  if (operand.kind == OperandKind::None) return;
  if (!text.empty()) text += ", ";
  text += operand_text(operand, ConstantType::B32);
}

std::string cache_policy(const Inst& inst) {
  return std::string(inst.sc0 ? " sc0" : "") + (inst.nt ? " nt" : "") + (inst.sc1 ? " sc1" : "");
}

std::string offset_text(int32_t offset) {
  return offset == 0 ? "" : " offset:" + std::to_string(offset);
}

std::string ds_text(const Inst& inst) {
  const DsRow& row = *ds_row(bits(inst.words[0], 24, 17));
  std::string text;
  append(text, inst.dst);
  for (const Operand& source : {inst.src[0], inst.src[1], inst.src[2]}) append(text, source);
  const unsigned offset = static_cast<unsigned>(inst.offset);
  if (row.offset == DsOffset::TWO_OFFSETS) {
    if ((offset & 0xff) != 0) text += " offset0:" + std::to_string(offset & 0xff);
    if (offset >> 8 != 0) text += " offset1:" + std::to_string(offset >> 8);
  } else if (row.offset == DsOffset::SWIZZLE && offset != 0) {
    text += " offset:" + swizzle_text(offset);
  } else {
    text += offset_text(inst.offset);
  }
  return inst.gds ? text + " gds" : text;
}

std::string flat_text(const Inst& inst) {
  std::string text;
  append(text, inst.dst);
  const bool segmented = inst.format != Format::FLAT;  // names vaddr and saddr even when absent
  text += (text.empty() ? "" : ", ") + operand_text(inst.src[0]);
  append(text, inst.src[1]);
  if (segmented) text += ", " + operand_text(inst.src[2]);
  // FLAT offsets have 12 bits, yet a thirteenth in the field is printed.
  const int32_t offset = segmented ? inst.offset : static_cast<int32_t>(bits(inst.words[0], 12, 0));
  return text + offset_text(offset) + cache_policy(inst);
}

std::string buffer_text(const Inst& inst) {
  if (inst.src[2].kind == OperandKind::None) return cache_policy(inst);  // cache maintenance
  std::string text;
  append(text, inst.src[1].kind != OperandKind::None ? inst.src[1] : inst.dst);
  if (inst.op != Op::buffer_store_lds_dword)
    text += (text.empty() ? "" : ", ") + operand_text(inst.src[0]);
  append(text, inst.src[2]);
  append(text, inst.src[3]);
  if (inst.format == Format::MTBUF) text += buffer_format_text(inst.dfmt, inst.nfmt);
  text += std::string(inst.idxen ? " idxen" : "") + (inst.offen ? " offen" : "");
  text += offset_text(inst.offset);
  if (inst.op == Op::buffer_store_lds_dword) return text + " lds" + cache_policy(inst);
  return text + cache_policy(inst) + (inst.lds ? " lds" : "");
}

}  // namespace

std::string memory_text(const Inst& inst) {
  switch (inst.format) {
    case Format::DS: return ds_text(inst);
    case Format::MUBUF:
    case Format::MTBUF: return buffer_text(inst);
    default: return flat_text(inst);
  }
}

}  // namespace isa
}  // namespace vgpu
