#include "model/tape/xcd_choice.h"

#include <algorithm>
#include <utility>

namespace vgpu {
namespace model {
namespace {

using calibration::kXcds;

constexpr uint64_t kLeastGroups = 8;  // of an XCD: of fewer, none can do without a tape of its own
constexpr uint64_t kFewFirst = 2;     // in the dispatch, that tell whether so few differ
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

// One that was taped: of those that are nearest in length the nearest one.
const GroupTape* like(const std::vector<GroupTape>& tapes, uint64_t longest) {
  const GroupTape* best = nullptr;
  uint64_t least = 0;
  for (const GroupTape& tape : tapes) {
    const uint64_t off = std::max(tape.longest, longest) - std::min(tape.longest, longest);
    if (best && off >= least) continue;
    best = &tape;
    least = off;
  }
  return best;
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

// For wanted workgroups below `end` that are on no tape.
template <class Wanted>
std::vector<GroupTape> stand_ins(const std::vector<GroupTape>& tapes, uint64_t end, Wanted wanted,
                                 const WorkSummary& work) {
  std::vector<GroupTape> found;
  auto next = tapes.begin();
  for (uint64_t group = 0; group < end; ++group) {
    while (next != tapes.end() && next->group < group) ++next;
    if (!wanted(group) || (next != tapes.end() && next->group == group)) continue;
    if (const GroupTape* other = like(tapes, work.longest_of(group))) {
      found.push_back(*other);
      found.back().group = group;
    }
  }
  return found;
}

std::vector<GroupTape> together(std::vector<GroupTape> tapes, std::vector<GroupTape> more) {
  tapes.insert(tapes.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  std::sort(tapes.begin(), tapes.end(),
            [](const GroupTape& a, const GroupTape& b) { return a.group < b.group; });
  return tapes;
}

// They differ, and tapes of all of them are not too long.
bool is_each_worth_it(const LaunchShape& shape, const FirstGroups& first) {
  const FirstGroups::OfXcd &one = first.on(0), &other = first.on(1);
  const uint64_t most = std::max(one.cycles, other.cycles),
                 least = std::min(one.cycles, other.cycles);
  const uint64_t steps = std::max<uint64_t>(one.most_steps, other.most_steps);
  return double(most) > kAsMuch * double(least) &&
         steps * shape.waves_per_group * shape.groups <= kTapedSteps;
}

}  // namespace

void FirstGroups::add(uint64_t group, uint64_t cycles, uint64_t steps, uint64_t all_steps,
                      bool ended) {
  OfXcd& xcd = xcds_[xcd_of_group(group)];
  xcd.groups.fetch_add(1, std::memory_order_relaxed);
  xcd.steps.fetch_add(all_steps, std::memory_order_relaxed);
  xcd.cycles.fetch_add(cycles, std::memory_order_relaxed);
  raise(xcd.most_cycles, cycles);
  raise(xcd.most_steps, steps);
  if (!ended) xcd.all_ended = false;
}

uint64_t FirstGroups::mean_steps(const LaunchShape& shape) const {
  uint64_t most = 0;
  for (const OfXcd& xcd : xcds_)
    if (const uint64_t waves = xcd.groups * shape.waves_per_group)
      most = std::max<uint64_t>(most, xcd.steps / waves);
  return most;
}

bool FirstGroups::all_ended() const {
  return std::all_of(std::begin(xcds_), std::end(xcds_),
                     [](const OfXcd& xcd) { return xcd.all_ended.load(); });
}

uint64_t groups_before_choice(const LaunchShape& shape, const SamplePlan& plan) {
  const uint64_t least = groups_on_xcd(shape, kXcds - 1);
  if (!plan.on || plan.all || plan.traced_units || shape.groups <= kFewFirst) return 0;
  if (least < kLeastGroups) return kFewFirst;
  const uint64_t taped = std::min(least, SamplePlan::kBlocks * plan.first_round);
  return std::max<uint64_t>(1, taped / kPart) * kXcds;
}

void choose_xcd(const LaunchShape& shape, const FirstGroups& first, SamplePlan& plan) {
  const bool few = groups_on_xcd(shape, kXcds - 1) < kLeastGroups;
  if (few) plan.each = is_each_worth_it(shape, first);
  const uint64_t mean = first.mean_steps(shape);
  const bool is_longer = first.all_ended() && plan.add_rounds(shape, mean);
  plan.know_first_waves(shape, mean);
  const std::vector<int> xcds = busiest(first);
  const bool stays = few || follows_only(plan, xcds);
  if (is_longer && stays) plan.follow(shape, plan.blocks[0].xcd);
  if (stays && plan.first_ended) return;
  if (!stays) plan.follow(shape, xcds.front());
  plan.chosen = !stays;
  const FirstGroups::OfXcd& longest = first.on(plan.blocks[0].xcd);
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

std::vector<GroupTape> as_planned(std::vector<GroupTape> tapes, const LaunchShape& shape,
                                  const SamplePlan& plan, const WorkSummary& work) {
  if (plan.each) return tapes;
  const auto wanted = [&](uint64_t group) { return plan.wants(group); };
  tapes = keep(tapes, [&](const GroupTape& tape) { return wanted(tape.group); });
  std::vector<GroupTape> others = stand_ins(tapes, groups_before_choice(shape, plan), wanted, work);
  return together(std::move(tapes), std::move(others));
}

std::vector<GroupTape> only_of_xcd(std::vector<GroupTape> tapes, const LaunchShape& shape, int xcd,
                                   const WorkSummary& work) {
  const auto wanted = [&](uint64_t group) { return xcd_of_group(group) == xcd; };
  std::vector<GroupTape> others = stand_ins(tapes, shape.groups, wanted, work);
  tapes = keep(tapes, [&](const GroupTape& tape) { return wanted(tape.group); });
  return together(std::move(tapes), std::move(others));
}

}  // namespace model
}  // namespace vgpu
