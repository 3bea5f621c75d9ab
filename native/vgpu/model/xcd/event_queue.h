// What happens next: one pending event at most for each wave, taken in the order of time and, at
// the same time, of wave numbers. A calendar of parts of cycles: nearly all events lie a few cycles
// ahead, and a hundred in the same cycle.
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
  static constexpr uint64_t kDaysPerCycle = 16;
  static constexpr uint64_t kDays = 1024 * kDaysPerCycle;   // on the calendar
  static constexpr uint32_t kNobody = ~uint32_t(0);

  static uint64_t day_of(double time) { return uint64_t(time * kDaysPerCycle); }
  void begin_next_day();
  void enter_today(const Event& event);
  void enter(const Event& event, uint64_t day);
  uint64_t next_day_with_events() const;

  std::vector<Event> current_;      // events of the days up to today_, the next one last
  uint64_t today_ = 0;
  std::vector<Event> later_;        // beyond the calendar: a heap
  std::vector<Event> noted_;        // by wave, when it is on the calendar
  std::vector<uint32_t> following_; // by wave: another one of the same day
  uint32_t first_[kDays];
  uint64_t used_[kDays / 64] = {};  // days that have events
  uint64_t used_weeks_[kDays / 64 / 64] = {};   // of 64 days, likewise
  size_t count_ = 0;
};

}  // namespace model
}  // namespace vgpu
