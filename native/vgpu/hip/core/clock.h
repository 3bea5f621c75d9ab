// Virtual time as the HIP runtime uses it. Host threads have a clock of their own that only moves
// when an API call spends time or waits for the device: two runs give the same times.
#pragma once

#include <cstdint>

#include "hsa/signal/virtual_clock.h"

namespace vgpu::hip {

// What a call costs on the host. Queries cost nothing: a program that polls asks a number of times
// that depends on real time.
uint64_t call_cost_ns(const char* api_name);

}  // namespace vgpu::hip
