// The timing of a dispatch: simulates what sampled workgroups did and scales that up.
#pragma once

#include <cstdint>
#include <vector>

#include "model/launch/launch.h"
#include "model/launch/work_summary.h"
#include "model/memory/memory_history.h"
#include "model/tape/tape.h"
#include "model/xcd/step_listener.h"
#include "model/xcd/timing_totals.h"

namespace vgpu {
namespace model {

// What was seen of a dispatch while it executed.
struct Observed {
  std::vector<GroupTape> planned;  // in the order of their numbers
  std::vector<GroupTape> longest;  // of those that the plan did not ask for, likewise
  const WorkSummary& work;         // of all
  const DispatchWork& asked;       // likewise
  TouchedMemory touched;           // by the whole dispatch, likewise the following
  uint64_t instructions;
  uint64_t long_cycles;          // from which on all workgroups were taped
  uint64_t steps_per_wave;       // up to which all rounds on the tapes are simulated
  bool chosen = false;           // the planned ones are of XCDs that have more to do than others
  bool each = false;             // all XCDs are on the tapes, one is followed
  XcdMask alike = kAllXcds;      // XCDs that do the same kind of work as those on the tapes
  bool long_among_them = false;  // long ones stand where they belong among the planned
};

// `history` is what earlier dispatches left in the Infinity Cache. `helpers`: host threads beside this
// one; they do not change the result. Tapes are cut down on the way.
TimingTotals simulate(const LaunchShape& shape, Observed& observed, MemoryHistory& history,
                      unsigned helpers, StepListener* listener);

}  // namespace model
}  // namespace vgpu
