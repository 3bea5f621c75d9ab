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

InstructionKind kind_of_op(Op op) {
  const OpClass& of = op_class(op);
  const uint16_t cycles = uint16_t(cycles_at(of.rate));
  if (of.unit == Unit::Matrix) return {of.unit, kIssueCycles, matrix_cycles(op), false};
  return {of.unit, cycles, cycles, of.beside_matrix == BesideMatrix::No};
}

// Whose instructions are free with it.
Ideal ideal_of(const InstructionKind& kind, Op op) {
  switch (kind.unit) {
    case Unit::Valu: return Ideal::Valu;
    case Unit::Matrix: return Ideal::Mfma;
    case Unit::Vmem:
    case Unit::Flat: return Ideal::L1;
    case Unit::Lds: return Ideal::Lds;
    default: return op == Op::s_barrier ? Ideal::Barriers : Ideal::Scalar;
  }
}

// Who frees the wave's own time: of memory it is not what passes the ports.
Ideal turn_of(const InstructionKind& kind, Op op) {
  const bool memory = kind.unit == Unit::Vmem || kind.unit == Unit::Flat;
  return memory ? Ideal::MemoryLatency : ideal_of(kind, op);
}

bool is_transcendental(Op op) {
  const Rate rate = op_class(op).rate;
  return rate == Rate::Transcendental || rate == Rate::TranscendentalDouble;
}

std::vector<InstructionKind> kinds_of_all() {
  std::vector<InstructionKind> kinds;
  for (uint16_t number = 0; number < uint16_t(Op::count_); ++number)
    kinds.push_back(kind_of_op(Op(number)));
  return kinds;
}

}  // namespace

std::vector<InstructionKind> kinds_with(const Ideals& free) {
  std::vector<InstructionKind> kinds = kinds_of_all();
  for (uint16_t number = 0; number < uint16_t(Op::count_); ++number) {
    InstructionKind& kind = kinds[number];
    if (free.has(Ideal::Transcendental) && is_transcendental(Op(number)))
      kind.issue = kind.latency = kIssueCycles;
    const bool is_free = free.has(ideal_of(kind, Op(number)));
    if (is_free) kind.issue = kind.latency = 0;
    if (free.has(turn_of(kind, Op(number)))) kind.turn = 0;
  }
  return kinds;
}

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
