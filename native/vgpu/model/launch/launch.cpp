#include "model/launch/launch.h"

#include <algorithm>

#include "model/launch/device_size.h"
#include "model/launch/structure.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

uint32_t round_up(uint32_t value, uint32_t granule) {
  return (value + granule - 1) / granule * granule;
}

// Waves that the registers of one SIMD allow.
uint32_t waves_by_registers(const LaunchShape& shape) {
  uint32_t vector = round_up(std::max<uint32_t>(shape.registers, 1), kRegisterGranule);
  uint32_t scalar = round_up(std::max<uint32_t>(shape.scalar_registers, 1), kScalarRegisterGranule);
  uint32_t waves =
      std::min<uint32_t>(kRegistersPerLane / vector, uint32_t(kScalarRegistersPerSimd) / scalar);
  return std::clamp<uint32_t>(waves, 1, kWavesPerSimd);
}

}  // namespace

uint32_t groups_per_unit(const LaunchShape& shape) {
  uint32_t waves = std::max<uint32_t>(shape.waves_per_group, 1);
  uint32_t groups = waves_by_registers(shape) * kSimdsPerUnit / waves;
  if (waves > 1) groups = std::min<uint32_t>(groups, kBarriersPerUnit);
  if (shape.lds_bytes)
    groups = std::min<uint32_t>(groups, kLdsBytes / round_up(shape.lds_bytes, kLdsGranule));
  return std::max<uint32_t>(groups, 1);
}

uint64_t groups_per_round(const LaunchShape& shape) {
  return uint64_t(groups_per_unit(shape)) * uint64_t(device_size().units_per_xcd);
}

double device_share(const LaunchShape& shape) {
  double room = double(groups_per_round(shape)) * kXcds;
  return std::min(1.0, double(shape.groups) / room);
}

uint64_t groups_on_xcd(const LaunchShape& shape, int xcd) {
  return (shape.groups + uint64_t(kXcds - 1 - xcd)) / kXcds;
}

}  // namespace model
}  // namespace vgpu
