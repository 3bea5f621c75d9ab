#include "model/launch/sample.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kRounds = 3;
constexpr uint64_t kTapedSteps = 384 * 1024;   // of all waves together
constexpr uint64_t kLeastSteps = 256;   // per wave: enough to reach the steady part of a loop
constexpr uint64_t kTapedWithTrace = 16 * 1024 * 1024;  // of all waves: some 0.5 GB on the host
constexpr uint32_t kMostSteps = 16 * 1024 * 1024;       // per wave when it must be complete

}  // namespace

uint32_t SamplePlan::steps(uint64_t group) const {
  const uint64_t number = group / calibration::kXcds;
  const bool is_traced = number < first_round &&
                         (traced_units >> number % calibration::kUnitsPerXcd & 1);
  return is_traced ? kMostSteps : steps_per_wave;
}

SamplePlan plan_sample(const LaunchShape& shape, uint64_t traced_units) {
  uint64_t round = groups_per_round(shape);
  uint64_t groups = std::min(groups_on_first_xcd(shape), kRounds * round);
  uint64_t waves = std::max<uint64_t>(1, groups * shape.waves_per_group);
  SamplePlan plan;
  plan.group_limit = groups * calibration::kXcds;
  plan.traced_units = traced_units;
  plan.first_round = round;
  const uint64_t taped = traced_units ? kTapedWithTrace : kTapedSteps;
  plan.steps_per_wave =
      uint32_t(std::min<uint64_t>(std::max(taped / waves, kLeastSteps), kMostSteps));
  return plan;
}

}  // namespace model
}  // namespace vgpu
