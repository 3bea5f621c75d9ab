// The timing of a dispatch: simulates what sampled workgroups did and scales that up.
#pragma once

#include <cstdint>
#include <vector>

#include "model/bounds/bounds.h"
#include "model/launch/launch.h"
#include "model/launch/work_summary.h"
#include "model/memory/memory_activity.h"
#include "model/memory/memory_history.h"
#include "model/tape/tape.h"
#include "model/xcd/step_listener.h"

namespace vgpu {
namespace model {

// Cycles are device clocks; sums are over all waves of the dispatch, scaled up from those that
// were simulated.
struct TimingTotals {
  double duration_ns = 0;          // start to end as the dispatch's timestamps show it
  double simulated_ns = 0;         // before bounds: less when one of them decided
  Bounds bounds;
  double kernel_cycles = 0;        // busy part of it, per XCD
  double wave_cycles = 0;          // sum of the life times of waves
  double busy_unit_cycles = 0;     // sum over CUs of cycles with at least one wave
  double wait_any = 0;             // of wave_cycles: waiting for memory, LDS, barriers
  double wait_issue = 0;           // of wave_cycles: could go on, but the unit was busy
  double active_any = 0;           // of wave_cycles: issuing
  double active[10] = {};          // issuing, by Unit
  double matrix_busy = 0;          // sum over SIMDs of cycles with a busy matrix core
  double lds_wait = 0;             // of wait_issue: for the LDS
  double level_vmem = 0, level_smem = 0, level_lds = 0, level_fetch = 0;  // sums of latencies
  MemoryTotals memory;             // sums over CUs or channels
};

// What was seen of a dispatch while it executed.
struct Observed {
  std::vector<GroupTape> planned;   // in the order of their numbers
  std::vector<GroupTape> longest;   // of those that the plan did not ask for, likewise
  const WorkSummary& work;          // of all
  const DispatchWork& asked;        // likewise
  TouchedMemory touched;            // by the whole dispatch, likewise the following
  uint64_t instructions;
};

// `history` is what earlier dispatches left in the Infinity Cache. Tapes are cut down on the way.
TimingTotals simulate(const LaunchShape& shape, Observed& observed, MemoryHistory& history,
                      StepListener* listener);

}  // namespace model
}  // namespace vgpu
