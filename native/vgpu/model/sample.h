// Which workgroups of a dispatch are taped for the timing simulation. Thousands of workgroups that
// behave alike are simulated for three rounds of what an XCD holds; the rest is extrapolated.
#pragma once

#include <cstdint>

#include "launch.h"
#include "structure.h"

namespace vgpu {
namespace model {

struct SamplePlan {
  uint64_t group_limit = 0;       // groups of XCD 0 below this number are taped
  uint32_t steps_per_wave = 0;

  bool wants(uint64_t group) const { return group < group_limit && xcd_of_group(group) == 0; }
};

// `complete`: waves are taped to their end, as a thread trace needs them.
SamplePlan plan_sample(const LaunchShape& shape, bool complete);

}  // namespace model
}  // namespace vgpu
