// What a wave did: its steps, what they accessed, and which parts of it are kept. Waves mostly do the
// same as others, at other places of the memory: of those one copy is kept, which is small enough for
// the host's caches.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "memory/link.h"
#include "model/tape/window_schedule.h"
#include "observe/decoded_code.h"

namespace vgpu {
namespace model {

// Memory that one instruction asked for, as requests of lines. Lines are physical: they do not
// depend on where the host put an allocation.
struct TapeAccess {
  uint32_t first = 0, count = 0;  // in WaveTape::lines
  uint16_t bytes = 0;             // per lane (vector) or in all (scalar)
  uint16_t lanes = 0;
  uint16_t conflicts = 0;  // cycles that the tags take longer than one turn of lanes each
  uint16_t turns = 0;      // atomics: one lane of each address at a time, over all lines;
                           // of each line: turns_of(request)
  bool write = false, atomic = false;
  Link link = kOwnMemory;
  bool scalar = false;
  bool system = false;                // atomics: of system scope
  uint8_t no_meaning[3] = {0, 0, 0};  // compared as they lie in memory
};

// A line request: line number << 2 | mask of the line's 64-byte halves that are touched, and whether
// the workgroup has touched the line before, on steps on its tape or others. Atomics: how many turns
// they have there, one more than these bits say.
constexpr uint64_t kTouchedBefore = uint64_t(1) << 63;
constexpr int kTurnsAt = 56;
constexpr uint64_t kMostMoreTurns = 0x7f;
constexpr uint64_t line_of(uint64_t request) {
  return (request & ((uint64_t(1) << kTurnsAt) - 1)) >> 2;
}
constexpr uint64_t with_turns(uint64_t request, uint64_t turns) {
  return request | (turns - 1) << kTurnsAt;
}
constexpr uint32_t turns_of(uint64_t request) {
  return uint32_t(request >> kTurnsAt & kMostMoreTurns) + 1;
}
constexpr uint64_t request_of(uint64_t line) { return line << 2; }
constexpr uint32_t halves_of(uint64_t request) { return uint32_t(request & 3); }

struct Step {
  const CodeSlot* slot;
  uint32_t pc;      // offset from the code object's base
  uint32_t detail;  // memory: index in accesses (0 is "nothing touched"); LDS: busy cycles;
                    // others: 0
};

// Steps of a wave without a gap. Windows of a long wave stand for others at the same place.
struct TapeWindow {
  using Look = WindowSchedule::Look;
  uint32_t first;  // in StepPattern::steps
  uint32_t place;  // in the code, as the schedule counts them
  bool begins_run;
  Look look;              // of touched ones only the accesses are there
  uint32_t visit;         // of its place, counted from 1
  uint64_t barriers = 0;  // that the wave has passed before
  uint64_t code = 0;      // of the place, the same for all waves
  double weight = 1;      // set, like the code, when the wave has ended
  double share = 1;       // of the visits of its place that it stands for, 1 on average

  bool touched() const { return look == Look::Touch; }
  // Which is as a rule not what later ones are.
  bool is_first_visit() const { return visit == 1; }
};

struct StepPattern {
  std::vector<Step> steps;
  std::vector<TapeWindow> windows;
  std::vector<TapeAccess> accesses;  // [0] is empty

  // Empty, with memory that this host thread has used lately where it has none of its own.
  void start();
};

// The copy that others share who did the same on this host thread, from the third one on; null for the
// first ones, and for what is too long to be compared. `pattern` is empty then.
std::shared_ptr<const StepPattern> share(StepPattern& pattern);

}  // namespace model
}  // namespace vgpu
