#include <cmath>

#include "exec/cover/lane_operands.h"
#include "exec/cover/sides.h"
#include "exec/cover/trial.h"
#include "exec/float/half.h"

namespace vgpu::cover {
namespace {

using baseline::Shape;

// `tell(lane)` of every active lane, until both sides are there.
template <class Tell>
uint8_t over_lanes(uint64_t active, Tell tell) {
  uint8_t facts = 0;
  for (uint64_t left = active; left && facts != kBothSides; left &= left - 1)
    facts |= tell(__builtin_ctzll(left));
  return facts;
}

uint8_t of_mask(uint64_t mask, uint64_t active) {
  return uint8_t((mask & active ? kTrue : 0) | (~mask & active ? kFalse : 0));
}

Sides compare(Wave& wave, const Inst& inst) {
  const LaneOperands operands(wave, inst);
  if (!operands.active()) return {};
  const int lane = __builtin_ctzll(operands.active());
  const OperandPair pair{operands.value(0, lane), operands.value(1, lane)};
  const Trial trial(wave, inst);
  const Operand& to = inst.sdst.kind == OperandKind::Sgpr ? inst.sdst : inst.dst;
  const uint64_t mask = to.kind == OperandKind::Sgpr ? wave.pair(to.reg & 127) : wave.vcc();
  return {of_mask(mask, operands.active()), pair};
}

uint64_t mask_operand(const Wave& wave, const Operand& operand) {
  if (operand.kind == OperandKind::Sgpr) return wave.pair(operand.reg & 127);
  return operand.kind == OperandKind::Constant ? operand.value : wave.vcc();
}

uint8_t extreme_part(const LaneOperands& operands, int lane, unsigned shift, uint64_t mask) {
  const auto part = [&](uint64_t value) { return value >> shift & mask; };
  const uint64_t first = part(operands.value(0, lane));
  if (part(operands.result(lane)) != first) return kFalse;
  for (int source = 1; source < operands.count(); ++source)
    if (part(operands.value(source, lane)) == first) return 0;
  return kTrue;
}

uint8_t extreme(LaneOperands& operands) {
  operands.compute();
  const bool packed = baseline::is_packed(operands.shape(0));
  return over_lanes(operands.active(), [&](int lane) -> uint8_t {
    if (!packed) return extreme_part(operands, lane, 0, ~uint64_t(0));
    return extreme_part(operands, lane, 0, 0xffff) | extreme_part(operands, lane, 16, 0xffff);
  });
}

uint8_t conjunction(const LaneOperands& operands, const Inst& inst) {
  return over_lanes(operands.active(), [&](int lane) {
    const uint64_t kept = operands.value(0, lane) & operands.value(1, lane);
    bool clears = false;
    for (int n = 0; n < 2; ++n)
      clears |= inst.src[n].kind != OperandKind::Constant && (operands.value(n, lane) & ~kept);
    return side(clears);
  });
}

uint8_t field(LaneOperands& operands) {
  operands.compute();
  return over_lanes(operands.active(), [&](int lane) {
    return side(operands.result(lane) != operands.value(0, lane));
  });
}

template <class Fits>
uint8_t factors(const LaneOperands& operands, Fits fits) {
  return over_lanes(operands.active(), [&](int lane) {
    return side(!fits(uint32_t(operands.value(0, lane))) ||
                !fits(uint32_t(operands.value(1, lane))));
  });
}

bool fits_unsigned(uint32_t value) { return value >> 24 == 0; }
bool fits_signed(uint32_t value) { return int32_t(value << 8) >> 8 == int32_t(value); }

// Whether a float with so many bits, the leading one included, holds the integer.
bool is_exact(uint64_t magnitude, int bits) {
  if (magnitude == 0) return true;
  return 64 - __builtin_clzll(magnitude) - __builtin_ctzll(magnitude) <= bits;
}

uint64_t magnitude(Op op, uint64_t raw) {
  int64_t value = int64_t(raw);
  if (op == Op::v_cvt_f32_i32) value = int32_t(raw);
  if (op == Op::v_cvt_f16_i16) value = int16_t(raw);
  return uint64_t(value < 0 ? -value : value);
}

uint8_t to_float(const LaneOperands& operands, Op op) {
  const int bits = op == Op::v_cvt_f16_u16 || op == Op::v_cvt_f16_i16 ? 11 : 24;
  return over_lanes(operands.active(), [&](int lane) {
    return side(!is_exact(magnitude(op, operands.value(0, lane)), bits));
  });
}

double number(Shape shape, uint64_t raw) {
  if (shape == Shape::F64) return __builtin_bit_cast(double, raw);
  if (shape == Shape::F32) return double(__builtin_bit_cast(float, uint32_t(raw)));
  return double(baseline::to_f32(baseline::f16{uint16_t(raw)}));
}

// The integer that is stored where it has room.
double rounded(Op op, double value) {
  if (op == Op::v_cvt_flr_i32_f32) return std::floor(value);
  if (op == Op::v_cvt_rpi_i32_f32) return std::floor(double(float(value) + 0.5f));
  return std::trunc(value);
}

struct Range {
  double low, high;
};

Range range_of(Op op) {
  switch (op) {
    case Op::v_cvt_u32_f32:
    case Op::v_cvt_u32_f64: return {0, 4294967295.0};
    case Op::v_cvt_u16_f16: return {0, 65535};
    case Op::v_cvt_i16_f16: return {-32768, 32767};
    default: return {-2147483648.0, 2147483647.0};
  }
}

uint8_t to_integer(const LaneOperands& operands, Op op) {
  const Range range = range_of(op);
  return over_lanes(operands.active(), [&](int lane) {
    const double value = rounded(op, number(operands.shape(0), operands.value(0, lane)));
    return side(!(value >= range.low && value <= range.high));
  });
}

uint8_t sides_of(Wave& wave, const Inst& inst, Kind kind) {
  LaneOperands operands(wave, inst);
  switch (kind) {
    case Kind::VectorSelect: return of_mask(mask_operand(wave, inst.src[2]), operands.active());
    case Kind::VectorExtreme: return extreme(operands);
    case Kind::VectorAnd: return conjunction(operands, inst);
    case Kind::VectorField: return field(operands);
    case Kind::Unsigned24: return factors(operands, fits_unsigned);
    case Kind::Signed24: return factors(operands, fits_signed);
    case Kind::ToFloat: return to_float(operands, inst.op);
    case Kind::ToInteger: return to_integer(operands, inst.op);
    default: return 0;
  }
}

}  // namespace

Sides vector_sides(Wave& wave, const Inst& inst, Kind kind) {
  if (wave.exec() == 0) return {};
  if (kind == Kind::VectorCompare) return compare(wave, inst);
  return {sides_of(wave, inst, kind), {}};
}

}  // namespace vgpu::cover
