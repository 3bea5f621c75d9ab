// Executes the instructions of one wave.
#pragma once

#include "exec/wave/wave.h"

namespace vgpu {

// Runs until `budget` instructions are done or the wave waits, sleeps or ends.
void run_wave(Wave& wave, uint32_t budget);

}  // namespace vgpu
