// Access to memory for one lane by flat address: global, LDS or private. Exact but slow; the vector
// paths fall back to it for mixtures and for misaligned private memory.
#pragma once

#include "exec/wave/wave.h"

namespace vgpu {

void lane_read(Wave& wave, const Inst& inst, int lane, uint64_t address, void* to, size_t bytes);
void lane_write(Wave& wave, const Inst& inst, int lane, uint64_t address, const void* from,
                size_t bytes);

// A DS instruction's lane accesses LDS behind the allocation: a fault under VROCM_CHECK=memory, else
// the caller reads 0 and writes nothing.
void lane_outside_lds(Wave& wave, const Inst& inst, int lane, uint64_t offset);

// Faults on the first active lane whose global address the device may not touch.
void check_lanes(Wave& wave, const Inst& inst, const uint64_t* addresses, uint64_t exec,
                 uint64_t bytes);

}  // namespace vgpu
