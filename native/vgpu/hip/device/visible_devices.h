// HIP_VISIBLE_DEVICES: which devices a program sees, and in which order.
#pragma once

#include <string>
#include <vector>

namespace vgpu::hip {

// Indices into `uuids`. An entry is a number or a UUID ("GPU-..."); the first one that names no
// device, or names one twice, ends the list. Null: all devices.
std::vector<size_t> visible_devices(const char* list, const std::vector<std::string>& uuids);

}  // namespace vgpu::hip
