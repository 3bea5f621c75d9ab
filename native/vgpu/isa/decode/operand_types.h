// What an operand may be: the vocabulary of the encoding tables.
#pragma once

#include <cstdint>

namespace vgpu {
namespace isa {

// How inline constants and literals of an operand become a value.
enum class ConstantType : uint8_t {
  None,   // registers only
  I16,    // low 16 bits
  F16,    // the same bits; only the printed text differs
  B32,    // also packed 16-bit integers, which see 32-bit constants
  B64,    // integers sign-extended, literals zero-extended
  I64,    // literals sign-extended
  F64,    // a literal is the high half
  V2F16,  // a half in the low 16 bits, integers sign-extended to 32; v_fma_mix* sees floats
          // where op_sel_hi does not ask for a half
  V2F32,  // a float in the low dword, integers sign-extended to 64
};

struct OperandType {
  bool vector = false;  // VGPRs, encodings 256..511
  bool scalar = false;  // SGPRs and special registers, encodings 0..255
  bool acc = false;     // AGPRs only
  ConstantType constant = ConstantType::None;
  uint8_t dwords = 0;
  bool present() const { return dwords != 0; }
};

namespace types {

constexpr OperandType vgpr(uint8_t dwords, ConstantType constant = ConstantType::None) {
  return {true, false, false, constant, dwords};
}
constexpr OperandType sgpr(uint8_t dwords, ConstantType constant = ConstantType::None) {
  return {false, true, false, constant, dwords};
}
constexpr OperandType any(uint8_t dwords, ConstantType constant) {
  return {true, true, false, constant, dwords};
}

constexpr OperandType NONE = {};

// Registers of one file.
constexpr OperandType V32 = vgpr(1), V64 = vgpr(2), V128 = vgpr(4), V256 = vgpr(8);
constexpr OperandType V512 = vgpr(16), V1024 = vgpr(32);
constexpr OperandType S32 = sgpr(1), S64 = sgpr(2);
constexpr OperandType A32 = {true, false, true, ConstantType::None, 1};

// Any register or constant.
constexpr OperandType I16 = any(1, ConstantType::I16), F16 = any(1, ConstantType::F16);
constexpr OperandType B32 = any(1, ConstantType::B32), B64 = any(2, ConstantType::B64);
constexpr OperandType I64 = any(2, ConstantType::I64), F64 = any(2, ConstantType::F64);
constexpr OperandType V2F16 = any(1, ConstantType::V2F16), V2F32 = any(2, ConstantType::V2F32);

// A scalar register or constant (lane selects); a vector register or constant (matrix C).
constexpr OperandType SC32 = sgpr(1, ConstantType::B32);
constexpr OperandType VC128 = vgpr(4, ConstantType::B32), VC512 = vgpr(16, ConstantType::B32);
constexpr OperandType VC1024 = vgpr(32, ConstantType::B32);
constexpr OperandType VD64 = vgpr(2, ConstantType::F64), VD256 = vgpr(8, ConstantType::F64);

}  // namespace types
}  // namespace isa
}  // namespace vgpu
