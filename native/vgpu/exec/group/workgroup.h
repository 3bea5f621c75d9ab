// A workgroup while it is resident on the device.
#pragma once

#include <cstdint>
#include <memory>

#include "exec/group/dispatch.h"
#include "exec/group/lds_turn.h"
#include "exec/wave/cost.h"
#include "exec/wave/wave.h"
#include "host/lazy_memory.h"
#include "observe/observer.h"

namespace vgpu {

struct Workgroup {
  Dispatch* dispatch = nullptr;
  uint64_t number = 0;  // position in dispatch order
  uint32_t id[3] = {0, 0, 0};
  uint32_t extent[3] = {1, 1, 1};  // work-items; less than the packet's for a partial group
  uint32_t wave_count = 0;
  uint32_t live_waves = 0;  // not ended
  uint32_t at_barrier = 0;
  uint32_t barriers = 0;  // that all waves have passed
  Wave* waves = nullptr;
  LdsTurn turn;                             // of the wave that runs
  std::unique_ptr<GroupObserver> observer;  // null: nobody looks

  // Makes this the `group_number`-th workgroup of `dispatch`: registers, LDS and ids as the device
  // sets them up. Storage is kept from the previous workgroup.
  void start(Dispatch& dispatch, uint64_t group_number);
  // What an observer has to know of it.
  GroupStart as_started() const;
  // From now on, before its first instruction.
  void observe_with(std::unique_ptr<GroupObserver> who);
  // What it touches from now on is marked here instead of where others of the dispatch mark.
  void mark_apart(TouchedPages& own);
  // Ranges are remembered per host thread; call whenever the group moves to another one.
  void use_ranges(AccessRange* ranges);
  bool finished() const { return live_waves == 0; }
  cost::Totals totals() const;
  GroupWork work() const;  // what it asked of the hardware, when it is finished

 private:
  void set_registers(Wave& wave, uint64_t items);
  void set_work_item_ids(Wave& wave, uint64_t first, uint64_t lanes);
  void set_user_sgprs(Wave& wave);

  LazyMemory wave_memory_, vgpr_memory_, lds_memory_, scratch_memory_;
};

}  // namespace vgpu
