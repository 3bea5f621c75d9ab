// The timing of a dispatch: simulates what XCD 0 did with its workgroups and scales that up.
#pragma once

#include <cstdint>
#include <vector>

#include "model/launch/launch.h"
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

// `tapes` are those of the sampled workgroups in the order of their numbers; those that do not help
// are dropped. `touched` and `instructions` are what the whole dispatch touched and executed,
// `history` is what earlier ones left in the Infinity Cache.
TimingTotals simulate(const LaunchShape& shape, std::vector<GroupTape>& tapes,
                      const TouchedMemory& touched, uint64_t instructions,
                      MemoryHistory& history, StepListener* listener);

}  // namespace model
}  // namespace vgpu
