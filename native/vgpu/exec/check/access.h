// Which memory an instruction touches, lane by lane, as the checks look at it: global memory and
// LDS. Private memory belongs to its lane, scalar memory is read-only, and typed buffers have no
// width of their own, nor has what loads into LDS read.
#pragma once

#include "exec/wave/wave.h"
#include "observe/access.h"

namespace vgpu {

AccessShape access_shape(const Inst& inst);

// Fills in element 0 or 1; false when the instruction has no such element in global memory or LDS.
bool lane_access(const Wave& wave, const Inst& inst, int element, LaneAccess& access);

// What a load into LDS writes there; false for every other instruction.
bool lds_filled(const Wave& wave, const Inst& inst, LaneAccess& access);

}  // namespace vgpu
