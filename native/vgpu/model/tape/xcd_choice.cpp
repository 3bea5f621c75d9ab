#include "model/tape/xcd_choice.h"

#include <algorithm>
#include <utility>

namespace vgpu {
namespace model {
namespace {

using calibration::kXcds;

constexpr uint64_t kLeastGroups = 8;  // of an XCD: of fewer, none can do without a tape of its own
constexpr uint64_t kPart = 16;        // of what is taped, one of so many
constexpr double kAsMuch = 1.02;      // XCDs that differ by less are alike

void raise(std::atomic<uint64_t>& most, uint64_t value) {
  uint64_t known = most.load(std::memory_order_relaxed);
  while (known < value && !most.compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

// Those whose first workgroups take about as long as those of any.
std::vector<int> busiest(const FirstGroups& first) {
  uint64_t most = 0;
  for (int xcd = 0; xcd < kXcds; ++xcd) most = std::max<uint64_t>(most, first.on(xcd).cycles);
  std::vector<int> found;
  for (int xcd = 0; xcd < kXcds; ++xcd)
    if (kAsMuch * double(first.on(xcd).cycles) >= double(most)) found.push_back(xcd);
  return found;
}

bool follows_only(const SamplePlan& plan, const std::vector<int>& xcds) {
  return std::all_of(std::begin(plan.blocks), std::end(plan.blocks), [&](const auto& block) {
    return block.count == 0 || std::find(xcds.begin(), xcds.end(), block.xcd) != xcds.end();
  });
}

// One that was taped, of the same XCD: of those that are nearest in length the nearest one.
const GroupTape* like(const std::vector<GroupTape>& tapes, uint64_t group, uint64_t longest) {
  const GroupTape* best = nullptr;
  uint64_t least = 0;
  for (const GroupTape& tape : tapes) {
    if (xcd_of_group(tape.group) != xcd_of_group(group)) continue;
    const uint64_t off = std::max(tape.longest, longest) - std::min(tape.longest, longest);
    if (best && off >= least) continue;
    best = &tape;
    least = off;
  }
  return best;
}

// Those that the plan wants, or the others.
void keep(std::vector<GroupTape>& tapes, const SamplePlan& plan, bool wanted) {
  std::vector<GroupTape> kept;
  for (GroupTape& tape : tapes) {
    if (plan.wants(tape.group) == wanted) kept.push_back(std::move(tape));
    else spare_tapes().give_back(std::move(tape));
  }
  tapes = std::move(kept);
}

}  // namespace

void FirstGroups::add(uint64_t group, uint64_t cycles, uint64_t steps, bool ended) {
  OfXcd& xcd = xcds_[xcd_of_group(group)];
  xcd.cycles.fetch_add(cycles, std::memory_order_relaxed);
  raise(xcd.most_cycles, cycles);
  raise(xcd.most_steps, steps);
  if (!ended) xcd.all_ended = false;
}

uint64_t groups_before_choice(const LaunchShape& shape, const SamplePlan& plan) {
  const uint64_t least = groups_on_xcd(shape, kXcds - 1);
  if (!plan.on || plan.all || plan.traced_units || least < kLeastGroups) return 0;
  const uint64_t taped = std::min(least, SamplePlan::kBlocks * plan.first_round);
  return std::max<uint64_t>(1, taped / kPart) * kXcds;
}

void choose_xcd(const LaunchShape& shape, const FirstGroups& first, SamplePlan& plan) {
  const std::vector<int> xcds = busiest(first);
  const bool stays = follows_only(plan, xcds);
  if (stays && plan.first_ended) return;
  if (!stays) plan.follow(shape, xcds);
  const FirstGroups::OfXcd& longest = first.on(plan.blocks[0].xcd);
  plan.know_first(longest.most_cycles, longest.most_steps, longest.all_ended);
}

std::vector<GroupTape> unplanned(std::vector<GroupTape> tapes, const SamplePlan& plan) {
  keep(tapes, plan, false);
  return tapes;
}

std::vector<GroupTape> as_planned(std::vector<GroupTape> tapes, const LaunchShape& shape,
                                  const SamplePlan& plan, const WorkSummary& work) {
  keep(tapes, plan, true);
  std::vector<GroupTape> missing;
  auto next = tapes.begin();
  for (uint64_t group = 0; group < groups_before_choice(shape, plan); ++group) {
    while (next != tapes.end() && next->group < group) ++next;
    if (!plan.wants(group) || (next != tapes.end() && next->group == group)) continue;
    if (const GroupTape* other = like(tapes, group, work.longest_of(group))) {
      missing.push_back(*other);
      missing.back().group = group;
    }
  }
  tapes.insert(tapes.end(), std::make_move_iterator(missing.begin()),
               std::make_move_iterator(missing.end()));
  std::sort(tapes.begin(), tapes.end(),
            [](const GroupTape& a, const GroupTape& b) { return a.group < b.group; });
  return tapes;
}

}  // namespace model
}  // namespace vgpu
