#include "isa/print/print.h"

#include <cstdio>

#include "isa/constants.h"
#include "isa/decode/operand.h"

namespace vgpu {
namespace isa {
namespace {

const char* special_name(unsigned encoding) {
  switch (encoding) {
    case 235: return "src_shared_base";
    case 236: return "src_shared_limit";
    case 237: return "src_private_base";
    case 238: return "src_private_limit";
    case 239: return "src_pops_exiting_wave_id";
    case 251: return "src_vccz";
    case 252: return "src_execz";
    case 253: return "src_scc";
    default: return "src_lds_direct";
  }
}

std::string tuple(const std::string& file, unsigned first, unsigned dwords) {
  if (dwords == 1) return file + std::to_string(first);
  return file + "[" + std::to_string(first) + ":" + std::to_string(first + dwords - 1) + "]";
}

std::string scalar_name(unsigned reg, unsigned dwords) {
  static const char* const kPairs[] = {"flat_scratch", "xnack_mask", "vcc"};
  if (reg < 102) return tuple("s", reg, dwords);
  if (reg >= 108 && reg < 124) return tuple("ttmp", reg - 108, dwords);
  if (reg == 124) return "m0";
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): 102 to 107 are left
  std::string pair = reg >= 126 ? "exec" : kPairs[(reg - 102) / 2];
  if (dwords == 2) return pair;
  return pair + (reg % 2 == 0 ? "_lo" : "_hi");
}

bool is_wide(ConstantType type) {
  return type == ConstantType::F64 || type == ConstantType::B64 || type == ConstantType::I64;
}

bool is_half(ConstantType type) { return type == ConstantType::F16 || type == ConstantType::V2F16; }

std::string inline_float(unsigned index, ConstantType type) {
  static const char* const kNames[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};
  if (index < 8) return kNames[index];
  return is_wide(type) ? "0.15915494309189532" : "0.15915494";
}

// A literal that an inline constant could have held is printed like that constant. LLVM looks at
// all 32 bits for this, except for halves.
std::string literal_text(uint32_t literal, ConstantType type) {
  const uint64_t value = type == ConstantType::F64   ? static_cast<uint64_t>(literal) << 32
                         : type == ConstantType::F16 ? literal & 0xffff
                                                     : literal;
  const int64_t number = type == ConstantType::F16 ? static_cast<int16_t>(value)
                         : is_wide(type)           ? static_cast<int64_t>(value)
                                                   : static_cast<int32_t>(value);
  if (number >= -16 && number <= 64) return std::to_string(number);
  for (unsigned i = 0; i < kInlineFloats; ++i) {
    const uint64_t bits = is_wide(type) ? kDouble[i] : is_half(type) ? kHalf[i] : kFloat[i];
    if (value == bits) return inline_float(i, type);
  }
  if (type == ConstantType::F64) return hex(literal);
  return hex(type == ConstantType::I16 ? value & 0xffff : value);
}

std::string constant_text(const Operand& operand, ConstantType type, uint32_t literal) {
  const unsigned encoding = operand.encoding;
  if (encoding == kLiteral) return literal_text(literal, type);
  if (encoding >= 240)
    return type == ConstantType::I16 ? hex(operand.value) : inline_float(encoding - 240, type);
  return std::to_string(encoding <= 192 ? static_cast<int>(encoding) - 128
                                        : 192 - static_cast<int>(encoding));
}

}  // namespace

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string operand_text(const Operand& operand, ConstantType constant, uint32_t literal) {
  switch (operand.kind) {
    case OperandKind::Vgpr: return tuple("v", operand.reg, operand.dwords);
    case OperandKind::Agpr: return tuple("a", operand.reg, operand.dwords);
    case OperandKind::Sgpr: return scalar_name(operand.reg, operand.dwords);
    case OperandKind::Special: return special_name(operand.reg);
    case OperandKind::Constant: return constant_text(operand, constant, literal);
    case OperandKind::None: break;
  }
  return "off";
}

void append_bit_list(std::string& text, const char* name, unsigned mask, unsigned count,
                     bool absent) {
  const unsigned all = (1u << count) - 1;
  if ((mask & all) == (absent ? all : 0)) return;
  text += std::string(" ") + name + ":[";
  for (unsigned i = 0; i < count; ++i) {
    if (i != 0) text += ',';
    text += (mask >> i & 1) != 0 ? '1' : '0';
  }
  text += ']';
}

}  // namespace isa
}  // namespace vgpu
