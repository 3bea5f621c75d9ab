// Turning operand fields of an encoding into typed operands.
#pragma once

#include <cstdint>

#include "isa/decode/operand_types.h"
#include "isa/inst.h"

namespace vgpu {
namespace isa {

// Encodings of the source field that stand for something other than a register.
constexpr unsigned kVccEncoding = 106, kM0Encoding = 124;
constexpr unsigned kSdwaMarker = 249, kDppMarker = 250, kLiteral = 255;
constexpr unsigned kFirstVgpr = 256;

// Decodes a 9-bit source field of the given type. `literal` is the dword behind the instruction,
// or null where this encoding allows none. False when the encoding means nothing for this type.
bool decode_source(const OperandType& type, unsigned encoding, const uint32_t* literal,
                   Operand& operand);

// Scalar destinations and other 7-bit fields that name scalar registers only.
bool decode_scalar(unsigned dwords, unsigned encoding, Operand& operand);

// `acc` chooses the accumulation file. False when the tuple would run over the end of the file.
bool decode_vector(unsigned dwords, unsigned index, bool acc, Operand& operand);

Operand vcc_operand();

}  // namespace isa
}  // namespace vgpu
