#include "exec/check/race_clock.h"

#include <algorithm>
#include <tuple>

namespace vgpu {
namespace {

bool earlier(const Known& a, const Known& b) {
  return std::tie(a.group, a.wave) < std::tie(b.group, b.wave);
}

}  // namespace

Clock::Clock(std::vector<Known> entries) : entries_(std::move(entries)) { bound(); }

void Clock::bound() {
  if (entries_.size() <= kMostEntries) return;
  for (const Known& entry : entries_) everything_ = std::max(everything_, entry.stamp);
  entries_.clear();
}

bool Clock::covers(uint32_t group, uint32_t wave, uint64_t stamp) const {
  if (stamp <= everything_) return true;
  for (uint32_t who : {wave, Known::kEveryWave}) {
    auto at = std::lower_bound(entries_.begin(), entries_.end(), Known{group, who, 0}, earlier);
    if (at != entries_.end() && at->group == group && at->wave == who && at->stamp >= stamp)
      return true;
  }
  return false;
}

bool Clock::includes(const Clock& other) const {
  if (other.everything_ > everything_) return false;
  auto at = entries_.begin();
  for (const Known& entry : other.entries_) {
    if (entry.stamp <= everything_) continue;
    while (at != entries_.end() && earlier(*at, entry)) ++at;
    if (at == entries_.end() || earlier(entry, *at) || at->stamp < entry.stamp) return false;
  }
  return true;
}

Clock Clock::joined(const Clock& a, const Clock& b) {
  Clock result;
  result.everything_ = std::max(a.everything_, b.everything_);
  auto add = [&](const Known& entry) {
    if (entry.stamp > result.everything_) result.entries_.push_back(entry);
  };
  auto at = a.entries_.begin();
  for (const Known& entry : b.entries_) {
    while (at != a.entries_.end() && earlier(*at, entry)) add(*at++);
    bool both = at != a.entries_.end() && !earlier(entry, *at);
    add(both && at->stamp > entry.stamp ? *at : entry);
    if (both) ++at;
  }
  std::for_each(at, a.entries_.end(), add);
  result.bound();
  return result;
}

void join(ClockRef& into, const ClockRef& from) {
  if (!from || into == from) return;
  if (!into || from->includes(*into)) into = from;
  else if (!into->includes(*from))
    into = std::make_shared<const Clock>(Clock::joined(*into, *from));
}

}  // namespace vgpu
