// The timing of a dispatch: simulates what XCD 0 did with its workgroups and scales that up.
#pragma once

#include <cstdint>
#include <vector>

#include "step_listener.h"
#include "tape.h"

namespace vgpu {
namespace model {

// What the hardware's launcher needs to know about a kernel and its grid.
struct LaunchShape {
  uint64_t groups = 0;             // in the whole dispatch
  uint32_t waves_per_group = 1;
  uint32_t registers = 8;          // vector registers per lane, arch and accum
  uint32_t scalar_registers = 16;
  uint32_t lds_bytes = 0;
  uint64_t instructions = 0;       // executed by the whole dispatch
};

// Workgroups that one CU holds at a time: the packed occupancy of arch/ (occupancy rule 11).
uint32_t groups_per_unit(const LaunchShape& shape);

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
  double fetches = 0;
  double address_busy = 0;         // sum over CUs of cycles with a busy address unit
  double cache_stall = 0;          // sum over CUs: vector cache waits for L2
  double simulated_groups = 0;
};

// `tapes` are those of the sampled workgroups, in the order of their numbers.
TimingTotals simulate(const LaunchShape& shape, const std::vector<GroupTape>& tapes,
                      StepListener* listener);

}  // namespace model
}  // namespace vgpu
