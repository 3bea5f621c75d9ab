// What the hardware's launcher needs to know about a kernel and its grid, and how many workgroups
// it puts on a CU.
#pragma once

#include <cstdint>

#include "model/ideal/free_places.h"

namespace vgpu {
namespace model {

struct LaunchShape {
  uint64_t groups = 0;  // in the whole dispatch
  uint32_t waves_per_group = 1;
  uint32_t registers = 8;  // vector registers per lane, arch and accum
  uint32_t scalar_registers = 16;
  uint32_t set_scalars = 0;  // scalar registers that the launcher sets, per wave
  uint32_t lds_bytes = 0;
  uint64_t code_physical = 0;           // where the kernel's code object lies
  const FreeCode* free_code = nullptr;  // instructions that cost nothing
};

// Workgroups that one CU holds at a time: the packed occupancy of analysis/occupancy.
uint32_t groups_per_unit(const LaunchShape& shape);

// Workgroups that an XCD holds at a time.
uint64_t groups_per_round(const LaunchShape& shape);

// The part of the whole device's room for such workgroups that the dispatch fills: at most 1.
double device_share(const LaunchShape& shape);

// A set of XCDs: a bit for each.
using XcdMask = uint8_t;
constexpr XcdMask kAllXcds = 0xff;
constexpr bool has(XcdMask xcds, int xcd) { return xcds >> xcd & 1; }

// Workgroups of the dispatch that run on this XCD.
uint64_t groups_on_xcd(const LaunchShape& shape, int xcd);

}  // namespace model
}  // namespace vgpu
