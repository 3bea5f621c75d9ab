// A stretch of device-accessible memory; empty when low > high.
#pragma once

#include <cstdint>

namespace vgpu {

struct AccessRange {
  uint64_t low = 1, high = 0;
  uint64_t to_physical = 0;  // to add to an address
};

// True when the device may touch every byte of [low, high). On success `range` holds the pages of
// the allocation around it, or nothing when several allocations hold it together.
bool find_range(uint64_t low, uint64_t high, AccessRange& range);

}  // namespace vgpu
