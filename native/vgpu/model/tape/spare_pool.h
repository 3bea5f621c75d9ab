// Things of ended dispatches that the next one uses again: making new ones, or just giving their
// memory back to the host and asking for it again, takes longer than a small dispatch.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace vgpu {
namespace model {

template <class Thing>
class SparePool {
 public:
  explicit SparePool(size_t most) : most_(most) {}

  // False when there is none.
  bool take(Thing& thing) {
    std::lock_guard lock(mutex_);
    if (spare_.empty()) return false;
    thing = std::move(spare_.back());
    spare_.pop_back();
    return true;
  }
  // Up to `wanted` of them, behind those that `things` holds.
  void take(size_t wanted, std::vector<Thing>& things) {
    std::lock_guard lock(mutex_);
    for (; wanted && !spare_.empty(); --wanted) {
      things.push_back(std::move(spare_.back()));
      spare_.pop_back();
    }
  }
  void give_back(Thing thing) {
    std::lock_guard lock(mutex_);
    if (spare_.size() < most_) spare_.push_back(std::move(thing));
  }
  void give_back(std::vector<Thing>& things) {
    std::lock_guard lock(mutex_);
    for (Thing& thing : things)
      if (spare_.size() < most_) spare_.push_back(std::move(thing));
    things.clear();
  }

 private:
  const size_t most_;
  std::mutex mutex_;
  std::vector<Thing> spare_;
};

}  // namespace model
}  // namespace vgpu
