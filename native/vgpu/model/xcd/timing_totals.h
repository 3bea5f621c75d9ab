// What the simulation says of a dispatch: its time, and sums over its waves.
#pragma once

#include "isa/op_class.h"
#include "model/bounds/bounds.h"
#include "model/bounds/demand.h"
#include "model/memory/memory_activity.h"

namespace vgpu {
namespace model {

class MemorySystem;

// Cycles are device clocks; sums are over all waves of the dispatch, scaled up from those that
// were simulated.
struct TimingTotals {
  double duration_ns = 0;   // start to end as the dispatch's timestamps show it
  double simulated_ns = 0;  // before bounds: less when one of them decided
  Bounds bounds;
  double kernel_cycles = 0;     // busy part of it, per XCD
  double wave_cycles = 0;       // sum of the life times of waves
  double draining = 0;          // of it, behind the last wave of an XCD
  double busy_unit_cycles = 0;  // sum over CUs of cycles with at least one wave
  double wait_any = 0;          // of wave_cycles: waiting for memory, LDS, barriers
  double wait_issue = 0;        // of wave_cycles: could go on, but the unit was busy
  double active_any = 0;        // of wave_cycles: issuing
  double active[kUnits] = {};   // issuing, by Unit
  double matrix_busy = 0;       // sum over SIMDs of cycles with a busy matrix core
  double lds_wait = 0;          // of wait_issue: for the LDS
  double level_vmem = 0, level_smem = 0, level_lds = 0, level_fetch = 0;  // sums of latencies
  MemoryTotals memory;  // sums over CUs or channels
  // Cycles that the Infinity Cache and the memory of the whole device take for what was moved.
  double fabric_work = 0, hbm_work = 0;
  double host_link_work = 0, peer_link_work = 0;  // likewise of the links to others' memory
  Demand demand;                                  // of what dispatches of other queues use, too

  // From the simulated waves to all waves of the dispatch, which executed `factor` times as much;
  // the cycles of CUs do not follow from that.
  void scale(double factor);
  // Together with those of other workgroups; the time of the dispatch stays.
  void add(const TimingTotals& more);
  // What was moved, so many times what has passed this memory.
  void note_moved(const MemorySystem& memory, double times);
  // The simulation says that the dispatch takes so many.
  void take_cycles(double cycles);
  // All CUs are busy until the end, as long as those were that were; memory and links stay.
  void spread_evenly();
  // No dispatch is faster than what it asked of the hardware allows.
  void keep_to(const Bounds& least);
  // What is scaled up from a sample cannot be more than the hardware has room for in kernel_cycles,
  // on so many CUs.
  void keep_within(double units);
  // On average over the dispatch, launching and retiring included.
  void find_demand(const LaunchShape& shape, const DispatchWork& asked);
};

}  // namespace model
}  // namespace vgpu
