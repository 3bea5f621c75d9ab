// The host's floating-point mode while device code runs: round to nearest, no traps, denormals kept.
#pragma once

#include <xmmintrin.h>

namespace vgpu {

class DeviceFloatMode {
 public:
  DeviceFloatMode() : before_(_mm_getcsr()) { _mm_setcsr(kDefault); }
  ~DeviceFloatMode() { _mm_setcsr(before_); }
  DeviceFloatMode(const DeviceFloatMode&) = delete;
  DeviceFloatMode& operator=(const DeviceFloatMode&) = delete;

 private:
  static constexpr unsigned kDefault = 0x1f80;
  unsigned before_;
};

}  // namespace vgpu
