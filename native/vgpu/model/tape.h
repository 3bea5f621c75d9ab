// What was executed, step by step, for the workgroups that the timing simulation looks at.
#pragma once

#include <cstdint>
#include <vector>

#include "../exec/code.h"
#include "../exec/wave.h"
#include "spare_pool.h"

namespace vgpu {
namespace model {

// Memory that one instruction asked for, as requests of lines. Lines are physical: they do not
// depend on where the host put an allocation.
struct TapeAccess {
  uint32_t first = 0, count = 0;   // in WaveTape::lines
  uint16_t bytes = 0;              // per lane (vector) or in all (scalar)
  uint16_t lanes = 0;
  bool write = false, atomic = false, host = false;
  bool scalar = false;
  bool system = false;             // atomics: of system scope
  uint16_t conflicts = 0;          // cycles that the tags take longer than one turn of lanes each
  uint16_t turns = 0;              // atomics: one lane of each address at a time, over all lines
};

// A line request: line number << 2 | mask of the line's 64-byte halves that are touched.
constexpr uint64_t line_of(uint64_t request) { return request >> 2; }
constexpr uint32_t halves_of(uint64_t request) { return uint32_t(request & 3); }

struct Step {
  const CodeSlot* slot;
  uint32_t pc;       // offset from the code object's base
  uint32_t detail;   // memory: index in accesses (0 is "nothing touched"); LDS: busy cycles;
                     // others: 0
};

struct WaveTape {
  std::vector<Step> steps;
  std::vector<TapeAccess> accesses;   // [0] is empty
  std::vector<uint64_t> lines;
  uint64_t executed = 0;              // instructions of the wave, also those behind the limit;
                                      // set when it has ended
  uint32_t limit = 0;                 // steps are kept up to this number

  void start(uint32_t step_limit);
  bool full() const { return steps.size() >= limit; }
  bool cut() const { return executed > steps.size(); }
};

// Notes the instruction that the wave is about to execute on a tape that is not full; wave.pc is
// behind it already.
void tape_step(Wave& wave, const CodeSlot& slot, uint64_t code_base);

struct GroupTape {
  uint64_t group = 0;                 // workgroup number
  std::vector<WaveTape> waves;
};

// Tapes of dispatches that were simulated, to be used again.
SparePool<GroupTape>& spare_tapes();

}  // namespace model
}  // namespace vgpu
