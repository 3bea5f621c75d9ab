// Which devices were given access to another one's memory.
#pragma once

#include "hip/core/runtime.h"

namespace vgpu::hip {

// Gives all devices that may reach `device` access to memory of its that is new.
void open_to_peers(const Device& device, void* memory);

}  // namespace vgpu::hip
