#include "device/observation.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "observe/two_observers.h"

namespace vgpu {
namespace {

// Counts a workgroup, tapes it, or both.
class ObservedGroup final : public GroupObserver {
 public:
  void count(model::GroupCounts& counts) { counts_ = &counts; }
  void tape(const GroupStart& start, uint32_t steps) {
    taper_.emplace(start, steps);
    if (!counts_) return;
    both_.reserve(start.waves);
    for (uint32_t index = 0; index < start.waves; ++index)
      both_.emplace_back(counts_->waves[index], taper_->wave(index));
  }

  WaveObserver* wave(uint32_t index) override {
    if (!both_.empty()) return &both_[index];
    if (taper_) return &taper_->wave(index);
    return &counts_->waves[index];
  }
  std::optional<model::GroupTaper>& taper() { return taper_; }

 private:
  model::GroupCounts* counts_ = nullptr;
  std::optional<model::GroupTaper> taper_;
  std::vector<TwoObservers> both_;
};

}  // namespace

Observation::Observation(const model::LaunchShape& shape, const model::SamplePlan& sample)
    : sample_(sample) {
  if (model::counting_wanted()) counting_ = std::make_unique<model::DispatchCounting>(shape);
}

void Observation::begin(Workgroup& group) {
  const bool taped = sample_.wants(group.number);
  if (!counting_ && !taped) return;
  const GroupStart start = group.as_started();
  auto observed = std::make_unique<ObservedGroup>();
  if (counting_) observed->count(counting_->begin(start));
  if (taped) observed->tape(start, sample_.steps(group.number));
  group.observe_with(std::move(observed));
}

void Observation::end(Workgroup& group) {
  if (!group.observer) return;
  if (auto& taper = static_cast<ObservedGroup&>(*group.observer).taper()) {
    std::lock_guard lock(mutex_);
    tapes_.push_back(taper->take());
  }
  group.observer.reset();
  if (counting_) counting_->end(group.number);
}

std::vector<model::GroupTape> Observation::take_tapes() {
  std::sort(tapes_.begin(), tapes_.end(),
            [](const auto& a, const auto& b) { return a.group < b.group; });
  return std::move(tapes_);
}

}  // namespace vgpu
