// Which memory an instruction touches that a wave is about to execute.
#pragma once

#include "exec/wave/wave.h"
#include "observe/access.h"

namespace vgpu {

// Flat addresses of the lanes in element 0 or 1 (DS read2 and its kin) of an instruction that does
// `shape` to memory; false when there is no such element, or no lane is active.
bool touched_lanes(const Wave& wave, const Inst& inst, const AccessShape& shape, int element,
                   LaneAccess& access);

// The bytes that a scalar memory instruction touches; false for clocks and cache controls.
bool touched_scalar(const Wave& wave, const Inst& inst, ScalarAccess& access);

}  // namespace vgpu
