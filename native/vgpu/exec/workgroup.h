// A workgroup while it is resident on the device, and the dispatch it belongs to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "../model/sample.h"
#include "../model/tape.h"
#include "code.h"
#include "cost.h"
#include "device.h"
#include "global_wave_sync.h"
#include "kernel_descriptor.h"
#include "lazy_memory.h"
#include "touched_pages.h"
#include "wave.h"

namespace vgpu {

// Everything that the workgroups of one dispatch have in common.
struct Dispatch {
  DispatchRequest request{};
  const AqlDispatchPacket* packet = nullptr;
  KernelDescriptor kernel{};
  std::string kernel_name;
  std::shared_ptr<CodeRange> code;
  uint64_t entry = 0;            // address of the first instruction
  uint32_t groups[3] = {1, 1, 1};
  uint64_t group_total = 0;
  uint32_t lds_bytes = 0;
  uint32_t scratch_bytes = 0;    // per lane
  model::LaunchShape shape;
  model::SamplePlan sample;      // which workgroups the timing simulation wants to see
  uint64_t start_ns = 0;         // modelled device clock when the dispatch began
  GlobalWaveSync global_sync;
  std::unique_ptr<TouchedPages> touched;   // null when no times are asked for
};

struct Workgroup {
  Dispatch* dispatch = nullptr;
  uint64_t number = 0;           // position in dispatch order
  uint32_t id[3] = {0, 0, 0};
  uint32_t extent[3] = {1, 1, 1};  // work-items; less than the packet's for a partial group
  uint32_t wave_count = 0;
  uint32_t live_waves = 0;       // not ended
  uint32_t at_barrier = 0;
  uint32_t barriers = 0;         // that all waves have passed
  Wave* waves = nullptr;
  std::unique_ptr<model::GroupTape> tape;  // null unless the group is sampled

  struct Round {
    uint64_t instructions = 0;
    bool all_asleep = true;      // every wave that ran gave up its turn by itself
  };

  // Makes this the `group_number`-th workgroup of `dispatch`: registers, LDS and ids as the device
  // sets them up. Storage is kept from the previous workgroup.
  void start(Dispatch& dispatch, uint64_t group_number);
  // Ranges are remembered per host thread; call whenever the group moves to another one.
  void use_ranges(AccessRange* ranges);
  // Gives every wave that can run one time slice.
  Round run_round();
  bool finished() const { return live_waves == 0; }
  cost::Totals totals() const;

 private:
  void set_registers(Wave& wave, uint64_t items);
  void set_work_item_ids(Wave& wave, uint64_t first, uint64_t lanes);
  void set_user_sgprs(Wave& wave);
  void start_tape();
  void release_barrier_if_complete();

  LazyMemory wave_memory_, vgpr_memory_, lds_memory_, scratch_memory_;
};

}  // namespace vgpu
