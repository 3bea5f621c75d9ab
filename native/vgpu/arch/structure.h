// Where the parts of the modelled MI300X are: which workgroup runs on which XCD, which CU belongs
// to which shader engine. The numbers are generated from the architecture data.
#pragma once

#include <cstdint>

namespace vgpu {
namespace arch {
namespace calibration {
#include "arch/calibration.inc"
}  // namespace calibration

constexpr int kLdsPathsPerUnit = 2;  // each of two SIMDs

// The hardware deals workgroups round-robin over the XCDs.
inline int xcd_of_group(uint64_t group) { return int(group % calibration::kXcds); }

// CUs of an XCD are numbered round-robin over its shader engines, so neighbours in number are in
// different engines: 38 CUs in 4 engines of 10, 10, 9 and 9.
inline int engine_of_unit(int unit) { return unit % calibration::kEnginesPerXcd; }
inline int unit_in_engine(int unit) { return unit / calibration::kEnginesPerXcd; }
// Two CUs of an engine share a scalar and an instruction cache: 5 pairs in each engine.
constexpr int kPairsPerEngine = (calibration::kUnitsPerXcd / calibration::kEnginesPerXcd + 2) / 2;
constexpr int kPairsPerXcd = kPairsPerEngine * calibration::kEnginesPerXcd;
inline int pair_of_unit(int unit) {
  return engine_of_unit(unit) * kPairsPerEngine + unit_in_engine(unit) / 2;
}
inline int first_unit_of_pair(int pair) {
  return pair % kPairsPerEngine * 2 * calibration::kEnginesPerXcd + pair / kPairsPerEngine;
}

}  // namespace arch
}  // namespace vgpu
