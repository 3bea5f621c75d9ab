// Counters that do not fit into the hardware abort the program at the first dispatch that should
// have been counted, as rocprofv3's library does on a real device. The rocprofv3 front end knows
// what fits; it tells through the environment:
//
//   VROCM_COUNTERS_REFUSED     what to say before aborting; unset: nothing is refused
//   VROCM_COUNTERS_INCLUDE     regular expression: only kernels whose name it finds are counted
//   VROCM_COUNTERS_EXCLUDE     and not those whose name this one finds
//   VROCM_COUNTERS_ITERATIONS  "1-3,7": which dispatches of each such kernel, from 1; unset: all
//   VROCM_COUNTERS_NAMES       "mangled": names as the linker knows them, with ".kd";
//                              otherwise demangled
#pragma once

#include <string>

namespace vgpu::hip {

// Called before every dispatch with the symbol of its kernel, without ".kd". May not return.
void abort_if_counters_are_refused(const std::string& symbol);

}  // namespace vgpu::hip
