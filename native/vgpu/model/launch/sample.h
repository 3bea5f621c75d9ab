// Which workgroups of a dispatch are taped for the timing simulation. Thousands of workgroups that
// behave alike are simulated for three rounds of what an XCD holds; the rest is extrapolated.
#pragma once

#include <cstdint>

#include "model/launch/launch.h"
#include "model/launch/structure.h"

namespace vgpu {
namespace model {

struct SamplePlan {
  uint64_t group_limit = 0;       // groups of XCD 0 below this number are taped
  uint32_t steps_per_wave = 0;
  uint64_t traced_units = 0;      // mask of CUs of which a thread trace is taken
  uint64_t first_round = 0;       // workgroups that XCD 0 holds at a time

  bool wants(uint64_t group) const { return group < group_limit && xcd_of_group(group) == 0; }
  // Steps of each wave of the group that are taped. A thread trace needs waves to their end: those
  // of the first round, of which it is known where they will run.
  uint32_t steps(uint64_t group) const;
};

// `traced_units`: see above, 0 for none. A thread trace tapes more of the others, too.
SamplePlan plan_sample(const LaunchShape& shape, uint64_t traced_units);

}  // namespace model
}  // namespace vgpu
