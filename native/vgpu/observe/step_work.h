// How much instructions ask of the parts of the hardware: exact sums, which every wave keeps while it
// executes, whoever looks. They cost an addition of two words per instruction, in which the parts
// lie side by side, and are emptied into wide sums before they can overflow.
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/inst.h"

namespace vgpu {

enum class WorkPart : uint8_t {
  OwnClock,  // what s_memtime shows
  Issue,     // of the wave itself, whatever else the device does
  Vector,    // cycles of ports of the SIMD
  Scalar,
  ScalarMemory,
  Memory,
  Branch,
  Matrix,  // of the matrix core
  Lds,     // of a path to the LDS
};
constexpr int kWorkParts = 9;

constexpr uint32_t kMostStepsTogether = 2000;  // between two emptyings

struct StepWork {
  uint64_t word[2] = {0, 0};

  struct Field {
    uint8_t word, shift, bits;
    uint8_t unit;  // cycles that are counted as one
    uint8_t most;  // units of one instruction
  };
  // A wave that asks to sleep gives up its turn: once between two emptyings there may be more of
  // OwnClock and Issue, for which they have the room.
  static constexpr Field kFields[kWorkParts] = {
      {0, 0, 16, 1, 16}, {0, 16, 16, 4, 16}, {0, 32, 16, 1, 32},
      {1, 0, 12, 4, 2},  {1, 12, 12, 4, 2},  {1, 24, 12, 4, 2},
      {1, 36, 12, 4, 2}, {0, 48, 16, 4, 32}, {1, 48, 16, 1, 32},
  };
  static constexpr const Field& field(WorkPart part) { return kFields[int(part)]; }

  // Cycles beyond what has room are left out, and parts of a unit: the sum is never too large.
  void ask(WorkPart part, uint64_t cycles) {
    put(part, std::min<uint64_t>(cycles / field(part).unit, field(part).most));
  }
  void ask_to_idle(WorkPart part, uint64_t cycles) { put(part, cycles / field(part).unit); }

  uint64_t cycles(WorkPart part) const {
    const Field& at = field(part);
    return (word[at.word] >> at.shift & ((uint64_t(1) << at.bits) - 1)) * at.unit;
  }
  void add(const StepWork& other) {
    word[0] += other.word[0];
    word[1] += other.word[1];
  }

 private:
  void put(WorkPart part, uint64_t units) { word[field(part).word] += units << field(part).shift; }
};

// What a workgroup asked for in all.
struct GroupWork {
  uint64_t cycles[kWorkParts] = {};
  uint64_t lane_bytes = 0;    // between registers and global memory, each lane's counted
  uint64_t stored_bytes = 0;  // of them in stores of whole rows
  uint64_t longest = 0;       // cycles of the wave whose own chain is longest
  uint64_t ordered = 0;       // when its last wave ends at least, as others kept it waiting
  uint64_t waves = 0;

  uint64_t& of(WorkPart part) { return cycles[int(part)]; }
  uint64_t of(WorkPart part) const { return cycles[int(part)]; }
};

// Who knows what an instruction asks for; asked once per instruction in memory.
using Weigher = StepWork (*)(const Inst&);

}  // namespace vgpu
