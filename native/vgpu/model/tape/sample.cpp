#include "model/tape/sample.h"

#include <algorithm>

#include "model/launch/device_size.h"
#include "model/tape/window_schedule.h"

namespace vgpu {
namespace model {
namespace {

using calibration::kXcds;

constexpr uint64_t kFewWaves = 512;           // of a dispatch that is taped whole
constexpr uint64_t kTapedSteps = 192 * 1024;  // of all waves together
constexpr uint32_t kLeastRuns = 16;           // per wave
// Of waves on XCDs that are simulated only if they have more to do than the first.
constexpr uint32_t kElsewhereRuns = 4;
constexpr uint64_t kTapedWithTrace = 16 * 1024 * 1024;  // of all waves: some 0.5 GB on the host
constexpr uint32_t kMostRuns = 1u << 22;                // of a wave that must be complete

// A wave of fewer cycles is not worth it, of more is long in any case.
constexpr uint64_t kLeastLong = 512, kMostLong = kLongWave * uint64_t(calibration::kIssueCycles);

}  // namespace

uint64_t long_cycles(uint64_t usual) {
  return std::clamp(usual + usual / 4, kLeastLong, kMostLong);
}

bool SamplePlan::wants(uint64_t group) const {
  if (!on || all) return on;
  for (const Block& block : blocks)
    if (xcd_of_group(group) == block.xcd && group / kXcds - block.first < block.count) return true;
  return false;
}

TapeLength SamplePlan::length(uint64_t group) const {
  const uint64_t number = group / kXcds;
  const bool is_traced = xcd_of_group(group) == 0 && number < first_round &&
                         (traced_units >> number % uint64_t(device_size().units_per_xcd) & 1);
  if (is_traced) return {kMostRuns, 0};
  const bool is_cut = expected > uint64_t(most_runs) * kWindowSteps * kWindowsPerRun;
  if (all && !whole && is_cut && xcd_of_group(group) != 0)
    return {std::min(kElsewhereRuns, most_runs), expected};
  return {most_runs, 0};
}

SamplePlan plan_sample(const LaunchShape& shape, uint64_t traced_units, bool whole) {
  const uint64_t round = groups_per_round(shape), on_first = groups_on_xcd(shape, 0);
  SamplePlan plan;
  plan.on = true;
  plan.traced_units = traced_units;
  plan.first_round = round;
  plan.whole = whole;
  plan.all = whole || shape.groups * shape.waves_per_group <= kFewWaves;
  uint64_t groups = shape.groups;
  if (!plan.all && on_first <= SamplePlan::kBlocks * round) {
    plan.blocks[0] = {0, 0, on_first};
    groups = on_first;
  } else if (!plan.all) {
    // Of different XCDs, in case what a workgroup does depends on its number modulo eight.
    plan.blocks[0] = {0, 0, round};
    plan.blocks[1] = {3, (groups_on_xcd(shape, 3) - round) / 2, round};
    plan.blocks[2] = {6, groups_on_xcd(shape, 6) - round, round};
    groups = SamplePlan::kBlocks * round;
  }
  const uint64_t waves = std::max<uint64_t>(1, groups * shape.waves_per_group);
  const uint64_t steps = (traced_units ? kTapedWithTrace : kTapedSteps) / waves;
  const uint64_t runs = steps / (kWindowSteps * kWindowsPerRun);
  plan.most_runs = whole ? kMostRuns : uint32_t(std::clamp<uint64_t>(runs, kLeastRuns, kMostRuns));
  return plan;
}

}  // namespace model
}  // namespace vgpu
