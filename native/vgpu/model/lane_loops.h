// Loops over the 64 lanes of a memory instruction. Like the execution handlers they are compiled
// once per host instruction set, and the best one is picked at run time.
#pragma once

#include <cstdint>

#include "../exec/wave.h"

namespace vgpu {
namespace model {

struct LaneBounds {
  uint64_t low, high;   // lowest and highest address of an active lane
};

struct LaneLoops {
  // Flat addresses of all lanes, of a global (or flat) instruction and of one that reads `vaddr`
  // plus `offset` from the LDS; returns what in_a_row says of them.
  bool (*global_addresses)(const Wave& wave, const Inst& inst, uint64_t bytes, uint64_t* at);
  bool (*lds_addresses)(const Wave& wave, const uint32_t* vaddr, uint32_t offset, uint64_t bytes,
                        uint64_t* at);
  // Whether lanes lie one behind the other, `bytes` apart, as far as they are in `exec`.
  bool (*in_a_row)(const uint64_t* at, uint64_t exec, uint64_t bytes);
  LaneBounds (*bounds)(const uint64_t* at, uint64_t exec);
  // Distances from the first active lane, 0 for lanes that are switched off, and a hash of them.
  // False when one does not fit. `exec` is not empty.
  bool (*distances)(const uint64_t* at, uint64_t exec, uint32_t* distance, uint32_t& hash);
};

// Of the instruction set that the handlers use, too (exec/bind.cpp).
const LaneLoops& lane_loops();

}  // namespace model
}  // namespace vgpu
