#include "model/launch/work_summary.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "model/launch/structure.h"

namespace vgpu {
namespace model {
namespace {

uint32_t bounded(uint64_t value) {
  return uint32_t(std::min<uint64_t>(value, std::numeric_limits<uint32_t>::max()));
}

}  // namespace

WorkSummary::WorkSummary(uint64_t groups)
    : groups_(groups),
      groups_per_place_(std::max<uint64_t>(1, (groups + kMostPlaces - 1) / kMostPlaces)),
      places_count_((groups + groups_per_place_ - 1) / groups_per_place_),
      places_(std::make_unique<Place[]>(places_count_)) {}

void WorkSummary::add(uint64_t group, uint64_t longest, uint64_t instructions) {
  Place& place = places_[group / groups_per_place_];
  place.instructions.fetch_add(bounded(instructions), std::memory_order_relaxed);
  const uint32_t mine = bounded(longest);
  uint32_t known = place.longest.load(std::memory_order_relaxed);
  while (known < mine &&
         !place.longest.compare_exchange_weak(known, mine, std::memory_order_relaxed)) {
  }
}

uint64_t WorkSummary::median_longest() const {
  if (places_count_ == 0) return 0;
  std::vector<uint32_t> all(places_count_);
  for (uint64_t n = 0; n < places_count_; ++n) all[n] = places_[n].longest;
  auto middle = all.begin() + ptrdiff_t(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

uint64_t WorkSummary::longest() const {
  uint32_t most = 0;
  for (uint64_t n = 0; n < places_count_; ++n) most = std::max<uint32_t>(most, places_[n].longest);
  return most;
}

WorkSummary::Part WorkSummary::beyond(uint64_t limit) const {
  Part part;
  uint64_t on_xcd[calibration::kXcds] = {};
  for (uint64_t n = 0; n < places_count_; ++n) {
    if (places_[n].longest <= limit) continue;
    const uint64_t groups = std::min(groups_per_place_, groups_ - n * groups_per_place_);
    part.groups += groups;
    part.instructions += places_[n].instructions;
    if (knows_each()) ++on_xcd[xcd_of_group(n)];
  }
  part.groups_on_xcd = knows_each() ? *std::max_element(on_xcd, on_xcd + calibration::kXcds)
                                    : (part.groups + calibration::kXcds - 1) / calibration::kXcds;
  return part;
}

uint64_t WorkSummary::instructions_on(int xcd, uint64_t limit) const {
  uint64_t sum = 0;
  for (uint64_t n = uint64_t(xcd); n < places_count_; n += calibration::kXcds)
    if (places_[n].longest <= limit) sum += places_[n].instructions;
  return sum;
}

}  // namespace model
}  // namespace vgpu
