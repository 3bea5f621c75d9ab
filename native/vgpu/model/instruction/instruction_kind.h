// What the device's sequencer sees in an instruction: which unit executes it and for how long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/inst.h"
#include "isa/op_class.h"
#include "model/ideal/ideal.h"
#include "model/launch/structure.h"
#include "observe/access.h"

namespace vgpu {
namespace model {

struct InstructionKind {
  Unit unit = Unit::Internal;
  uint16_t issue = 4;    // cycles that its port is busy
  uint16_t latency = 4;  // until a dependent instruction may issue; memory: not used
  bool alone = false;    // does not overlap matrix instructions
  uint16_t turn = 4;     // until the wave may try its next instruction
  bool free = false;     // by where it is: passes whatever others wait in line for
};

// By Op; the same as long as the process lives.
const InstructionKind* kinds_by_op();
// The same where some mechanisms are free.
std::vector<InstructionKind> kinds_with(const Ideals& free);

inline InstructionKind kind_of(const Inst& inst, const InstructionKind* by_op = kinds_by_op()) {
  if (inst.op >= Op::count_) return {};
  InstructionKind kind = by_op[size_t(inst.op)];
  if (inst.op == Op::s_nop && kind.turn)
    kind.issue = kind.latency = uint16_t(calibration::kIssueCycles * (1 + (inst.words[0] & 15)));
  return kind;
}

// Bytes that the lanes of an LDS instruction pass, switched off or not.
uint32_t lds_bytes(const AccessShape& shape);

}  // namespace model
}  // namespace vgpu
