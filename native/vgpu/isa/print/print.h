// Building assembly text: operands, modifiers and the symbolic immediates of scalar instructions.
#pragma once

#include <cstdint>
#include <string>

#include "isa/decode/operand_types.h"
#include "isa/inst.h"

namespace vgpu {
namespace isa {

std::string hex(uint64_t value);  // 0x1f

// `constant` tells how an inline constant or literal of this operand reads; `literal` is the
// dword behind the instruction, whose bits beyond the operand's own width show in the text.
std::string operand_text(const Operand& operand, ConstantType constant = ConstantType::None,
                         uint32_t literal = 0);

// Appends " name:[a,b,c]" with the low `count` bits of `mask`, unless all equal `absent`.
void append_bit_list(std::string& text, const char* name, unsigned mask, unsigned count,
                     bool absent);

std::string waitcnt_text(unsigned immediate);
std::string sendmsg_text(unsigned immediate);
std::string hwreg_text(unsigned immediate);
std::string gpr_idx_text(unsigned immediate);
std::string swizzle_text(unsigned offset);
std::string buffer_format_text(unsigned dfmt, unsigned nfmt);

// Text of the operands and modifiers behind the mnemonic; `suffix` receives _e32, _e64, ...
std::string scalar_text(const Inst& inst);
std::string vector_text(const Inst& inst, std::string& suffix);
std::string memory_text(const Inst& inst);

}  // namespace isa
}  // namespace vgpu
