// What the device's sequencer sees in an instruction: which unit executes it and for how long.
#pragma once

#include <cstdint>

#include "isa/op_class.h"
#include "observe/access.h"

namespace vgpu {
namespace model {

struct InstructionKind {
  Unit unit = Unit::Internal;
  uint16_t issue = 4;      // cycles that its port is busy
  uint16_t latency = 4;    // until a dependent instruction may issue; memory: not used
  bool alone = false;      // does not overlap matrix instructions
};

InstructionKind kind_of(const Inst& inst);

// Bytes that the lanes of an LDS instruction pass, switched off or not.
uint32_t lds_bytes(const AccessShape& shape);

}  // namespace model
}  // namespace vgpu
