// What a device says about itself to a HIP program.
#pragma once

#include <hip/hip_runtime_api.h>

#include "arch/structure.h"

namespace vgpu::hip {

struct Device;

constexpr int kLdsBytes = arch::calibration::kLdsBytes;  // per compute unit and per workgroup
constexpr int kMostThreadsPerBlock = arch::calibration::kWorkgroupThreads;

hipDeviceProp_t device_properties(const Device& device);

// One attribute, from the properties; hipErrorInvalidValue for a number that names none.
hipError_t device_attribute(const Device& device, hipDeviceAttribute_t which, int* value);

}  // namespace vgpu::hip
