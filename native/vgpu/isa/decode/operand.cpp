#include "isa/decode/operand.h"

#include "isa/constants.h"

namespace vgpu {
namespace isa {
namespace {

constexpr unsigned kLastSgpr = 101, kTupleEnd = 104;  // s[100:103] overlaps flat_scratch
constexpr unsigned kFirstTtmp = 108, kLastTtmp = 123;
constexpr unsigned kFirstSpecial = 235, kLastAperture = 239;  // apertures, pops_exiting_wave_id
constexpr unsigned kVccz = 251, kLdsDirect = 254;
constexpr unsigned kIntegerZero = 128, kInteger64 = 192, kIntegerMinus16 = 208;
constexpr unsigned kFirstFloat = 240, kLastFloat = 248;

uint64_t integer_value(ConstantType type, int64_t value) {
  switch (type) {
    case ConstantType::I16:
    case ConstantType::F16: return static_cast<uint16_t>(value);
    case ConstantType::B32:
    case ConstantType::V2F16: return static_cast<uint32_t>(value);
    default: return static_cast<uint64_t>(value);
  }
}

uint64_t float_value(ConstantType type, unsigned index) {
  switch (type) {
    case ConstantType::I16:
    case ConstantType::F16:
    case ConstantType::V2F16: return kHalf[index];
    case ConstantType::B64:
    case ConstantType::I64:
    case ConstantType::F64: return kDouble[index];
    default: return kFloat[index];
  }
}

uint64_t literal_value(ConstantType type, uint32_t literal) {
  switch (type) {
    case ConstantType::I16:
    case ConstantType::F16: return literal & 0xffff;
    case ConstantType::I64: return static_cast<uint64_t>(static_cast<int32_t>(literal));
    case ConstantType::F64: return static_cast<uint64_t>(literal) << 32;
    default: return literal;
  }
}

bool constant(const OperandType& type, unsigned encoding, const uint32_t* literal,
              uint64_t& value) {
  if (encoding >= kIntegerZero && encoding <= kInteger64) {
    value = encoding - kIntegerZero;
  } else if (encoding > kInteger64 && encoding <= kIntegerMinus16) {
    value = integer_value(type.constant, static_cast<int64_t>(kInteger64) - encoding);
  } else if (encoding >= kFirstFloat && encoding <= kLastFloat) {
    value = float_value(type.constant, encoding - kFirstFloat);
  } else if (encoding == kLiteral && literal != nullptr) {
    value = literal_value(type.constant, *literal);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool decode_scalar(unsigned dwords, unsigned encoding, Operand& operand) {
  // Tuples start at even registers, those of four and more dwords at multiples of four.
  const unsigned align = dwords >= 4 ? 4 : dwords >= 2 ? 2 : 1;
  operand = {OperandKind::Sgpr, static_cast<uint8_t>(dwords), 0, static_cast<uint16_t>(encoding),
             0};
  if (encoding <= kLastSgpr) {
    operand.reg = static_cast<uint16_t>(encoding & ~(align - 1));
    return operand.reg + dwords <= kTupleEnd;
  }
  if (encoding >= kFirstTtmp && encoding <= kLastTtmp) {
    operand.reg = static_cast<uint16_t>(kFirstTtmp + ((encoding - kFirstTtmp) & ~(align - 1)));
    return operand.reg + dwords <= kLastTtmp + 1;
  }
  // flat_scratch, xnack_mask, vcc and exec are pairs; m0 and its neighbour are single.
  operand.reg = static_cast<uint16_t>(encoding);
  if (encoding == kM0Encoding) return dwords == 1;
  if (encoding > 127 || encoding == kM0Encoding + 1) return false;
  return dwords == 1 || (dwords == 2 && encoding % 2 == 0);
}

bool decode_vector(unsigned dwords, unsigned index, bool acc, Operand& operand) {
  operand = {acc ? OperandKind::Agpr : OperandKind::Vgpr, static_cast<uint8_t>(dwords),
             static_cast<uint16_t>(index), static_cast<uint16_t>(kFirstVgpr + index), 0};
  return index + dwords <= 256;
}

bool decode_source(const OperandType& type, unsigned encoding, const uint32_t* literal,
                   Operand& operand) {
  if (encoding >= kFirstVgpr)
    return type.vector && decode_vector(type.dwords, encoding - kFirstVgpr, type.acc, operand);
  if (encoding < kIntegerZero) return type.scalar && decode_scalar(type.dwords, encoding, operand);
  operand = {OperandKind::Constant, type.dwords, 0, static_cast<uint16_t>(encoding), 0};
  if (type.constant != ConstantType::None && constant(type, encoding, literal, operand.value))
    return true;
  operand.kind = OperandKind::Special;
  operand.reg = static_cast<uint16_t>(encoding);
  if (encoding == kLdsDirect) return type.vector && type.scalar && type.dwords == 1;
  const bool aperture = encoding >= kFirstSpecial && encoding <= kLastAperture;
  return type.scalar && type.dwords <= 2 &&
         (aperture || (encoding >= kVccz && encoding < kLdsDirect));
}

Operand vcc_operand() { return {OperandKind::Sgpr, 2, kVccEncoding, kVccEncoding, 0}; }

}  // namespace isa
}  // namespace vgpu
