#include "sample.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kRounds = 3;
constexpr uint64_t kTapedSteps = 384 * 1024;   // of all waves together
constexpr uint64_t kLeastSteps = 256;          // per wave: enough to reach the steady part of a loop
constexpr uint64_t kMostSteps = 16 * 1024 * 1024;  // per wave when they must be complete

}  // namespace

SamplePlan plan_sample(const LaunchShape& shape, bool complete) {
  uint64_t round = uint64_t(groups_per_unit(shape)) * calibration::kUnitsPerXcd;
  uint64_t groups = std::min(groups_on_first_xcd(shape), kRounds * round);
  uint64_t waves = std::max<uint64_t>(1, groups * shape.waves_per_group);
  SamplePlan plan;
  plan.group_limit = groups * calibration::kXcds;
  plan.steps_per_wave =
      uint32_t(complete ? kMostSteps : std::max(kTapedSteps / waves, kLeastSteps));
  return plan;
}

}  // namespace model
}  // namespace vgpu
