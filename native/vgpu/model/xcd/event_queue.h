// What happens next: one pending event at most for each wave, taken in the order of time and, at
// the same time, of wave numbers. A calendar of cycles: nearly all events lie a few cycles ahead,
// and hundreds in the same cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vgpu {
namespace model {

struct Event {
  double time;
  uint32_t wave;
};

class EventQueue {
 public:
  explicit EventQueue(size_t waves);

  bool empty() const { return count_ == 0; }
  void push(const Event& event);
  // Of a queue that is not empty.
  Event pop();
  double next_time();

 private:
  static constexpr uint64_t kDays = 4096;   // cycles on the calendar
  static constexpr uint32_t kNobody = ~uint32_t(0);

  // Events of the cycles up to today_, the next one last.
  void begin_next_day();
  void enter(const Event& event, uint64_t day);
  uint64_t next_day_with_events() const;

  std::vector<Event> current_;
  uint64_t today_ = 0;
  std::vector<Event> later_;        // beyond the calendar: a heap
  std::vector<Event> noted_;        // by wave, when it is on the calendar
  std::vector<uint32_t> following_; // by wave: another one of the same day
  uint32_t first_[kDays];
  uint64_t used_[kDays / 64] = {};  // days that have events
  size_t count_ = 0;
};

}  // namespace model
}  // namespace vgpu
