// How large and how fast the modelled device is: an MI300X, unless a test asks for another one.
// VROCM_MODEL=UNITS:GHZ has so many CUs per XCD, at most those of an MI300X, at that clock. What is
// on the XCD keeps its cycles; what lies behind the L2 keeps its time. Programs see an MI300X, so
// that they do the same; the name of the device says what was modelled, in every record.
#pragma once

#include <string>

#include "model/launch/structure.h"

namespace vgpu {
namespace model {

struct DeviceSize {
  int units_per_xcd = calibration::kUnitsPerXcd;
  double clock_ghz = calibration::kClockGhz;

  // Cycles of that clock that what took so many of an MI300X takes.
  double outside(double cycles) const { return cycles * (clock_ghz / calibration::kClockGhz); }
  bool is_usual() const {
    return units_per_xcd == calibration::kUnitsPerXcd && clock_ghz == calibration::kClockGhz;
  }
};

const DeviceSize& device_size();  // read once; a malformed value ends the program with a message
void set_device_size(const DeviceSize& size);  // for tests, between dispatches

// The usual name with what is not usual in it: "... (virtual, 10 CUs per XCD, 1.42 GHz)".
std::string with_device_size(std::string product);

}  // namespace model
}  // namespace vgpu
