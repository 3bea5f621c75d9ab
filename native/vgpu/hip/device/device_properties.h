// What a device says about itself to a HIP program.
#pragma once

#include <hip/hip_runtime_api.h>

namespace vgpu::hip {

struct Device;

constexpr int kLdsBytes = 65536;               // per compute unit and per workgroup on gfx942
constexpr int kMostThreadsPerBlock = 1024;

hipDeviceProp_t device_properties(const Device& device);

// One attribute, from the properties; hipErrorInvalidValue for a number that names none.
hipError_t device_attribute(const Device& device, hipDeviceAttribute_t which, int* value);

}  // namespace vgpu::hip
