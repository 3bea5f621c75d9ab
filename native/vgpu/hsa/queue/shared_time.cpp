#include "hsa/queue/shared_time.h"

#include <algorithm>

namespace vrocm {
namespace {

using vgpu::model::Demand;
using vgpu::model::kShared;
using vgpu::model::Shared;

constexpr size_t kRemembered = 1024;  // uses; older ones have passed
constexpr double kLeastRate = 1e-3;   // below it a kernel has no CU to begin on

// How fast a kernel gets on with what is free: as the part of it that has least lets it.
double rate_with(const Demand& wanted, const Demand& free) {
  double rate = 1;
  for (int part = 0; part < kShared; ++part) {
    const double asked = wanted.of(Shared(part)), left = free.of(Shared(part));
    if (left < asked) rate = std::min(rate, left / asked);
  }
  return rate < kLeastRate ? 0 : rate;
}

// Workgroups that wait for memory keep their room.
Demand used_at(double rate, const Demand& wanted, const Demand& free) {
  Demand used = wanted;
  used.stretch(1 / rate);
  used.of(Shared::Room) = std::min(wanted.of(Shared::Room), free.of(Shared::Room));
  return used;
}

}  // namespace

// Goes through the times at which what is free changes and does as much work as fits into each.
KernelSpan SharedTime::settle(const KernelWish& wish) {
  std::vector<uint64_t> changes = changes_behind(wish.device, wish.start_ns);
  changes.push_back(UINT64_MAX);
  double left = double(wish.duration_ns);
  KernelSpan span{wish.start_ns, wish.start_ns};
  bool begun = false;
  std::vector<Use> mine;
  for (uint64_t change : changes) {
    const uint64_t now = span.end;
    const Demand free = free_at(wish.device, now);
    const bool last = change == UINT64_MAX;
    const double rate = last ? 1 : rate_with(wish.demand, free);
    if (rate > 0 && !begun) span.start = now;
    begun |= rate > 0;
    const bool ends = last || rate * double(change - now) >= left;
    span.end = ends ? now + uint64_t(left / rate) : change;
    if (rate > 0 && span.end > now)
      mine.push_back({wish.device, {now, span.end}, used_at(rate, wish.demand, free)});
    if (ends) break;
    left -= rate * double(change - now);
  }
  for (const Use& use : mine) remember(use);
  return span;
}

std::vector<uint64_t> SharedTime::changes_behind(uint64_t device, uint64_t time) const {
  std::vector<uint64_t> changes;
  for (const Use& use : uses_)
    for (uint64_t at : {use.span.start, use.span.end})
      if (use.device == device && at > time) changes.push_back(at);
  std::sort(changes.begin(), changes.end());
  changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
  return changes;
}

Demand SharedTime::free_at(uint64_t device, uint64_t time) const {
  Demand free;
  for (int part = 0; part < kShared; ++part) {
    double used = 0;
    for (const Use& use : uses_)
      if (use.device == device && use.span.start <= time && time < use.span.end)
        used += use.of.of(Shared(part));
    free.of(Shared(part)) = std::max(0.0, 1 - used);
  }
  return free;
}

void SharedTime::remember(const Use& use) {
  if (uses_.size() == kRemembered)
    uses_.erase(std::min_element(uses_.begin(), uses_.end(), [](const Use& a, const Use& b) {
      return a.span.end < b.span.end;
    }));
  uses_.push_back(use);
}

}  // namespace vrocm
