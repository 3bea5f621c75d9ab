// Addresses of all lanes of a memory instruction, for those who look at it. Like the handlers they
// are compiled once per host instruction set.
#pragma once

#include <cstdint>

#include "exec/wave/wave.h"

namespace vgpu {

struct LaneAddresses {
  // Flat addresses of a global (or flat) instruction, and of one that reads `vaddr` plus `offset`
  // from the LDS; each returns what in_a_row says of them. Of a row only the ends may be told.
  bool (*global)(const Wave& wave, const Inst& inst, uint64_t bytes, uint64_t* at);
  bool (*lds)(const Wave& wave, const uint32_t* vaddr, uint32_t offset, uint64_t bytes,
              uint64_t* at);
  // Whether lanes lie one behind the other, `bytes` apart, as far as they are in `exec`.
  bool (*in_a_row)(const uint64_t* at, uint64_t exec, uint64_t bytes);
};

const LaneAddresses& lane_addresses();  // of the instruction set that the handlers use, too

}  // namespace vgpu
