// Whether lanes lie one behind the other. Compiled per host instruction set (host/cpu_target.h).
#pragma once

#include <cstdint>

#include "host/cpu_target.h"
#include "observe/access.h"

namespace vgpu {
namespace VGPU_TARGET {

// All bits set for lanes that are active.
VGPU_INLINE uint64_t lane_mask(uint64_t exec, int lane) { return -(exec >> lane & 1); }

// `bytes` apart, as far as they are in `exec`; false when none is.
VGPU_INLINE bool lanes_in_a_row(const uint64_t* at, uint64_t exec, uint64_t bytes) {
  if (exec == 0) return false;
  const int active = __builtin_ctzll(exec);
  const uint64_t first = at[active] - uint64_t(active) * bytes;
  uint64_t different = 0;
  const int last = kLanes - 1 - __builtin_clzll(exec);
  if (at[last] != first + uint64_t(last) * bytes) return false;  // most others differ there
  if (exec == ~uint64_t(0)) {  // the usual case needs no mask, and no products
    for (int l = 1; l < kLanes; ++l) different |= (at[l] - at[l - 1]) ^ bytes;
    return different == 0;
  }
  for (int l = 0; l < kLanes; ++l)
    different |= (at[l] ^ (first + uint64_t(l) * bytes)) & lane_mask(exec, l);
  return different == 0;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
