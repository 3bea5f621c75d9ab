#include "isa/decode.h"
#include "isa/decode/formats.h"
#include "isa/decode/rows.h"
#include "isa/print/print.h"

namespace vgpu {
namespace {

// The byte address a branch goes to, or 0 when the instruction is none.
uint64_t branch_target(const Inst& inst, uint64_t pc) {
  isa::Immediate kind = isa::Immediate::ZERO;
  if (inst.format == Format::SOPP)
    kind = isa::sopp_row(isa::bits(inst.words[0], 22, 16))->immediate;
  if (inst.format == Format::SOPK)
    kind = isa::sopk_row(isa::bits(inst.words[0], 27, 23))->immediate;
  if (kind != isa::Immediate::BRANCH) return 0;
  return pc + 4 + static_cast<uint64_t>(4 * static_cast<int64_t>(inst.imm));
}

}  // namespace

std::string disassemble(const Inst& inst, uint64_t pc) {
  if (inst.op == Op::invalid) return ".long " + isa::hex(inst.words[0]);
  std::string suffix, operands;
  if (inst.format <= Format::SMEM) operands = isa::scalar_text(inst);
  else if (inst.format <= Format::VOP3P) operands = isa::vector_text(inst, suffix);
  else operands = isa::memory_text(inst);
  std::string text = mnemonic(inst.op) + suffix;
  if (!operands.empty()) text += (operands[0] == ' ' ? "" : " ") + operands;
  const uint64_t target = pc != 0 ? branch_target(inst, pc) : 0;
  return target != 0 ? text + "  // " + isa::hex(target) : text;
}

}  // namespace vgpu
