#include "model/xcd/sharing.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace vgpu {
namespace model {
namespace {

class SharedUnit {
 public:
  SharedUnit(const std::vector<SharedLife>& lives, double most_speed)
      : left_(lives), most_speed_(most_speed) {
    look_ahead();
  }

  // When the next workgroup ends; infinity when there is none.
  double next() const { return next_; }
  void end_next() {
    for (SharedLife& life : left_) life.cycles -= (next_ - now_) * speed(life);
    left_.erase(left_.begin() + std::ptrdiff_t(first_));
    now_ = next_;
    look_ahead();
  }
  void begin(const SharedLife& life) {
    left_.push_back(life);
    look_ahead();
  }

 private:
  double speed(const SharedLife& life) const {
    return std::min(life.company / double(left_.size()), most_speed_);
  }
  void look_ahead() {
    next_ = std::numeric_limits<double>::infinity();
    for (size_t n = 0; n < left_.size(); ++n) {
      const double end = now_ + std::max(0.0, left_[n].cycles) / speed(left_[n]);
      if (end >= next_) continue;
      next_ = end;
      first_ = n;
    }
  }

  std::vector<SharedLife> left_;  // what is left of each
  size_t first_ = 0;              // that ends
  double now_ = 0, next_, most_speed_;
};

}  // namespace

double end_of(const SharedUnits& shared) {
  std::vector<SharedUnit> units;
  for (const auto& lives : shared.lives)
    if (!lives.empty()) units.emplace_back(lives, shared.most_speed);
  double end = 0;
  for (auto waiting = shared.waiting.begin(); !units.empty();) {
    auto first = std::min_element(
        units.begin(), units.end(),
        [](const SharedUnit& a, const SharedUnit& b) { return a.next() < b.next(); });
    const double next = first->next();
    if (next == std::numeric_limits<double>::infinity()) break;
    end = next;
    first->end_next();
    if (waiting != shared.waiting.end()) first->begin(*waiting++);
  }
  return end;
}

}  // namespace model
}  // namespace vgpu
