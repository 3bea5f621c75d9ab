#include "model/xcd/sharing.h"

#include <algorithm>
#include <limits>

namespace vgpu {
namespace model {
namespace {

class SharedUnit {
 public:
  SharedUnit(const std::vector<double>& lives, double most_speed)
      : left_(lives), places_(double(lives.size())), most_speed_(most_speed) {
    look_ahead();
  }

  // When the next workgroup ends; infinity when there is none.
  double next() const { return next_; }
  void end_next() {
    const auto shortest = std::min_element(left_.begin(), left_.end());
    const double passed = *shortest;
    left_.erase(shortest);
    for (double& left : left_) left -= passed;
    now_ = next_;
    look_ahead();
  }
  void begin(double life) {
    left_.push_back(life);
    look_ahead();
  }

 private:
  void look_ahead() {
    next_ = std::numeric_limits<double>::infinity();
    if (left_.empty()) return;
    const double speed = std::min(places_ / double(left_.size()), most_speed_);
    next_ = now_ + *std::min_element(left_.begin(), left_.end()) / speed;
  }

  std::vector<double> left_;  // to live, as with all places taken
  double now_ = 0, next_, places_, most_speed_;
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
