#include "model/instruction/instruction_kind.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "model/instruction/matrix_cycles.h"
#include "model/launch/structure.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

int cycles_at(Rate rate) {
  switch (rate) {
    case Rate::Double: return kDoubleCycles;
    case Rate::Quarter: return kQuarterRateCycles;
    case Rate::Transcendental: return kTranscendentalCycles;
    case Rate::TranscendentalDouble: return kTranscendentalDoubleCycles;
    default: return kIssueCycles;
  }
}

std::vector<InstructionKind> kinds_of_all() {
  std::vector<InstructionKind> kinds;
  for (uint16_t number = 0; number < uint16_t(Op::count_); ++number) {
    const Op op = Op(number);
    const OpClass& of = op_class(op);
    const uint16_t cycles = uint16_t(cycles_at(of.rate));
    if (of.unit == Unit::Matrix) kinds.push_back({of.unit, kIssueCycles, matrix_cycles(op), false});
    else kinds.push_back({of.unit, cycles, cycles, of.beside_matrix == BesideMatrix::No});
  }
  return kinds;
}

}  // namespace

uint32_t lds_bytes(const AccessShape& shape) {
  const uint32_t elements = shape.pair_unit ? 2 : 1;
  return std::max<uint32_t>(shape.bytes * elements, 4) * kLanes;
}

const InstructionKind* kinds_by_op() {
  static const auto* const kKinds = new std::vector<InstructionKind>(kinds_of_all());
  return kKinds->data();
}

}  // namespace model
}  // namespace vgpu
