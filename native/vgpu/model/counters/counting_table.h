// Which counters an instruction adds to whenever a wave executes it.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/inst.h"
#include "model/counters/counter_values.h"
#include "model/instruction/instruction_kind.h"

namespace vgpu {
namespace model {

struct Increment {
  Counter counter;
  uint32_t amount;
};

// Per execution. What depends on addresses (requests, LDS cycles) or on the active lanes is counted
// elsewhere.
const std::vector<Increment>& increments(const Inst& inst, const InstructionKind& kind);

// Quad cycles that the instruction keeps the vector pipe: its share of SQ_THREAD_CYCLES_VALU per
// active lane; 0 for instructions of other units.
uint32_t vector_quads(const InstructionKind& kind);

}  // namespace model
}  // namespace vgpu
