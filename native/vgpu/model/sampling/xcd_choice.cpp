#include "model/sampling/xcd_choice.h"

#include <algorithm>
#include <utility>

namespace vgpu {
namespace model {
namespace {

using calibration::kXcds;

constexpr uint64_t kLeastGroups = 8;  // of an XCD: of fewer, none can do without a tape of its own
constexpr uint64_t kPart = 16;        // of what is taped, one of so many
constexpr double kAsMuch = 1.02;      // XCDs that differ by less are alike

bool is_known(const XcdCycles& pilot) { return *std::max_element(pilot.begin(), pilot.end()) > 0; }

// Those whose first workgroups take about as long as those of any.
std::vector<int> busiest(const FirstGroups& first, const XcdCycles& pilot) {
  XcdCycles cycles = pilot;
  if (!is_known(pilot))
    for (int xcd = 0; xcd < kXcds; ++xcd) cycles[size_t(xcd)] = double(first.on(xcd).cycles);
  const double most = *std::max_element(cycles.begin(), cycles.end());
  std::vector<int> found;
  for (int xcd = 0; xcd < kXcds; ++xcd)
    if (kAsMuch * cycles[size_t(xcd)] >= most) found.push_back(xcd);
  return found;
}

bool follows_only(const SamplePlan& plan, const std::vector<int>& xcds) {
  return std::all_of(std::begin(plan.blocks), std::end(plan.blocks), [&](const auto& block) {
    return block.count == 0 || std::find(xcds.begin(), xcds.end(), block.xcd) != xcds.end();
  });
}

// Those that are wanted, without the others.
template <class Wanted>
std::vector<GroupTape> keep(std::vector<GroupTape>& tapes, Wanted wanted) {
  std::vector<GroupTape> kept;
  for (GroupTape& tape : tapes) {
    if (wanted(tape)) kept.push_back(std::move(tape));
    else spare_tapes().give_back(std::move(tape));
  }
  return kept;
}

// They differ, and tapes of all of them are not too long.
bool is_each_worth_it(const LaunchShape& shape, const FirstGroups& first) {
  uint64_t most = 0, least = ~uint64_t(0), steps = 0;
  for (int xcd = 0; xcd < kXcds; ++xcd) {
    const FirstGroups::OfXcd& one = first.on(xcd);
    if (one.groups == 0) continue;
    most = std::max<uint64_t>(most, one.cycles);
    least = std::min<uint64_t>(least, one.cycles);
    steps = std::max<uint64_t>(steps, one.most_steps);
  }
  const bool differ = double(most) > kAsMuch * double(least) || !first.are_of_one_kind();
  return differ && steps * shape.waves_per_group * shape.groups <= kTapedSteps;
}

}  // namespace

uint64_t groups_before_choice(const LaunchShape& shape, const SamplePlan& plan) {
  const uint64_t least = groups_on_xcd(shape, kXcds - 1);
  if (!plan.on || plan.all || plan.traced_units || shape.groups == 1) return 0;
  if (least < kLeastGroups) return std::min<uint64_t>(shape.groups, kXcds);
  const uint64_t taped = std::min(least, SamplePlan::kBlocks * plan.first_round);
  return std::max<uint64_t>(1, taped / kPart) * kXcds;
}

void choose_xcd(const LaunchShape& shape, const FirstGroups& first, const XcdCycles& pilot,
                SamplePlan& plan) {
  const bool few = groups_on_xcd(shape, kXcds - 1) < kLeastGroups;
  if (few) plan.each = is_each_worth_it(shape, first);
  const uint64_t mean = first.mean_steps(shape);
  const bool is_longer = first.all_ended() && plan.add_rounds(shape, mean);
  plan.know_first_waves(shape, mean);
  const std::vector<int> xcds = busiest(first, pilot);
  const bool stays = (few && (plan.each || !is_known(pilot))) || follows_only(plan, xcds);
  if (is_longer && stays) plan.follow(shape, plan.blocks[0].xcd);
  if (!stays) plan.follow(shape, xcds.front());
  const int followed = plan.blocks[0].xcd;
  if (is_known(pilot)) plan.alike = first.of_the_kind_of(followed);
  plan.chosen = !stays || plan.alike != kAllXcds;
  if (stays && plan.first_ended) return;
  const FirstGroups::OfXcd& longest = first.on(followed);
  plan.know_first(longest.most_cycles, longest.most_steps, longest.all_ended);
}

std::vector<GroupTape> unplanned(std::vector<GroupTape> tapes,
                                 const std::vector<GroupTape>& planned) {
  return keep(tapes, [&](const GroupTape& tape) {
    const auto other =
        std::lower_bound(planned.begin(), planned.end(), tape.group,
                         [](const GroupTape& one, uint64_t group) { return one.group < group; });
    const bool is_there = other != planned.end() && other->group == tape.group;
    return !is_there || double(tape.longest) > kAsMuch * double(other->longest);
  });
}

std::vector<GroupTape> as_planned(std::vector<GroupTape> tapes, const SamplePlan& plan) {
  return keep(tapes, [&](const GroupTape& tape) { return plan.wants(tape.group); });
}

std::vector<GroupTape> only_of_xcd(std::vector<GroupTape> tapes, int xcd) {
  return keep(tapes, [&](const GroupTape& tape) { return xcd_of_group(tape.group) == xcd; });
}

}  // namespace model
}  // namespace vgpu
