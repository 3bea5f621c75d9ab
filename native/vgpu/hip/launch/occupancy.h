// How many workgroups of a kernel fit on a compute unit, by the rule of HIP's own runtime.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hip/module/module.h"

namespace vgpu::hip {

struct BestBlock {
  int grid = 0, block = 0;
};

uint32_t active_blocks(const Function& function, uint32_t block, size_t dynamic_lds);

// The block size, a multiple of the wave size, that keeps most work-items resident; the largest
// of equals. `limit` 0: the kernel's own limit. The grid fills the device once.
BestBlock best_block(const Function& function, size_t dynamic_lds, uint32_t limit);

}  // namespace vgpu::hip
