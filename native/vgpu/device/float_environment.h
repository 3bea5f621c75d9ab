// The host's floating-point mode while device code runs: round to nearest, no traps, denormals kept.
#pragma once

#include "host/float_mode.h"

namespace vgpu {

class DeviceFloatMode {
 public:
  DeviceFloatMode() : before_(float_control()) { set_float_control(kDeviceFloatControl); }
  ~DeviceFloatMode() { set_float_control(before_); }
  DeviceFloatMode(const DeviceFloatMode&) = delete;
  DeviceFloatMode& operator=(const DeviceFloatMode&) = delete;

 private:
  FloatControl before_;
};

}  // namespace vgpu
