// What orders the accesses of two waves, for the race check: barriers, and atomics with the fences
// that gfx942 needs for them (LLVM's AMDGPU memory model). A release to other workgroups is
// buffer_wbl2 sc1 and then an atomic (compilers leave out the s_waitcnt between them where the wave
// itself has nothing under way); an acquire is an atomic that returns a value and then buffer_inv sc1. The waves of one workgroup share their caches: there the atomics
// alone do it, and no instruction tells whether the source had a fence.
#pragma once

#include <unordered_map>
#include <vector>

#include "exec/check/race_clock.h"
#include "exec/group/workgroup.h"

namespace vgpu {

// How the order of one wave stands. `others` and `heard` may hold its own workgroup, too.
struct WaveOrder {
  std::vector<uint64_t> known;     // of its workgroup, up to which stamp of each wave
  std::vector<uint64_t> relayed;   // seen by atomics that return nothing: passed on, not known
  ClockRef others;                 // acquired
  ClockRef heard;                  // published by others and read, not acquired until buffer_inv
  ClockRef written_back;           // what its next atomic publishes
  bool plain_since_fence = false;  // accesses that the next atomic does not publish
  bool at_global_sync = false;     // behind a ds_gws_barrier
};

class GroupOrder {
 public:
  GroupOrder() = default;
  GroupOrder(const Workgroup& group, uint64_t now);

  bool is(const Workgroup& group) const { return number_ == group.number; }
  void pass_barriers(uint32_t barriers, uint64_t now);
  bool happened(const WaveOrder& reader, uint32_t wave, uint64_t stamp) const;
  // `by` reads by an atomic what `from` wrote by one at `stamp`; waves of this workgroup.
  void hand_over(uint32_t from, uint64_t stamp, uint32_t by, bool returns);
  // All that the wave did and knows, as others may hear of it.
  ClockRef snapshot(uint32_t wave, uint64_t now) const;
  WaveOrder& wave(uint32_t index) { return waves_[index]; }
  const WaveOrder& wave(uint32_t index) const { return waves_[index]; }

 private:
  uint64_t number_ = ~uint64_t(0);
  uint32_t barriers_ = 0;
  uint64_t barrier_stamp_ = 0;  // up to here every wave's accesses are known to all
  std::vector<WaveOrder> waves_;
};

// The order of a whole dispatch.
class RaceOrder {
 public:
  void clear();
  uint64_t now() const { return now_; }
  uint64_t next_stamp() { return ++now_; }
  GroupOrder& group_of(const Wave& wave);
  // Fences and barriers; memory accesses are told by the functions below.
  void instruction(const Wave& wave, const Inst& inst);
  // A wave's atomic on a dword of global memory makes known, or hears, what was written back.
  void publish(WaveOrder& wave, const Known& itself, uint64_t address);
  void listen(WaveOrder& wave, uint64_t address) const;

 private:
  uint64_t now_ = 0;
  std::unordered_map<const Workgroup*, GroupOrder> groups_;
  std::unordered_map<uint64_t, ClockRef> published_;  // by dword address
  ClockRef global_sync_;                              // by waves that arrived at ds_gws_barrier
  const Workgroup* last_ = nullptr;
  GroupOrder* last_order_ = nullptr;
};

}  // namespace vgpu
