// The least time that a wave takes by itself: its instructions one behind the other, with what it
// waits for at least. Exact counts of everything that it executed go into it; what other waves do
// to it does not, except at barriers.
#pragma once

#include "arch/structure.h"
#include "exec/wave/wave.h"

namespace vgpu {

constexpr uint64_t kIssue = arch::calibration::kIssueCycles;

// Behind the instruction that it executes now.
VGPU_INLINE uint64_t own_time(const Wave& w) {
  return w.sums[int(WorkPart::Issue)] + w.work.cycles(WorkPart::Issue) + w.waited;
}

VGPU_INLINE uint64_t own_clock(const Wave& w) {
  return w.sums[int(WorkPart::OwnClock)] + w.work.cycles(WorkPart::OwnClock);
}

VGPU_INLINE void wait_until(Wave& w, uint64_t time) {
  const uint64_t now = own_time(w);
  if (time > now) w.waited += time - now;
}

// In the time of the dispatch, as far as others kept the wave waiting. All workgroups begin at 0.
VGPU_INLINE uint64_t ordered_time(const Wave& w) { return own_time(w) + w.kept; }
VGPU_INLINE void keep_until(Wave& w, uint64_t time) {
  const uint64_t now = ordered_time(w);
  if (time > now) w.kept += time - now;
}
// What it did in the last `cycles` was waiting for others: how often it looked is the host's affair.
VGPU_INLINE void forget_waiting(Wave& w, uint64_t cycles) {
  w.waited -= cycles;  // may wrap around: only the sum counts
  const uint64_t latest = own_time(w) + arch::calibration::kVectorHitLatency;
  w.memory_done = w.memory_done < latest ? w.memory_done : latest;
  w.lds_done = w.lds_done < latest ? w.lds_done : latest;
  w.scalar_done = w.scalar_done < latest ? w.scalar_done : latest;
}

// A memory instruction is on its way: not earlier than that it is counted down again.
VGPU_INLINE void note_memory(Wave& w) {
  w.memory_done = own_time(w) + arch::calibration::kVectorHitLatency;
}
VGPU_INLINE void note_lds(Wave& w) { w.lds_done = own_time(w) + arch::calibration::kLdsLatency; }
VGPU_INLINE void note_scalar_memory(Wave& w) {
  w.scalar_done = own_time(w) + arch::calibration::kScalarHitLatency;
}

// Until no vector memory instruction, or no scalar one and none of the LDS, is under way. Those that
// others may still be under way with are left out.
VGPU_INLINE void wait_for_memory(Wave& w) { wait_until(w, w.memory_done); }
VGPU_INLINE void wait_for_scalars(Wave& w) {
  wait_until(w, w.lds_done > w.scalar_done ? w.lds_done : w.scalar_done);
}

VGPU_INLINE void note_taken_branch(Wave& w) {
  w.waited += uint64_t(arch::calibration::kBranchCycles) - kIssue;
}

// Empties the words that instructions add to.
inline void sum_up(Wave& w) {
  for (int part = 0; part < kWorkParts; ++part) w.sums[part] += w.work.cycles(WorkPart(part));
  w.work = StepWork{};
}

}  // namespace vgpu
