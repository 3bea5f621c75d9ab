// What happens next: one pending event at most for each wave, taken in the order of time and, at
// the same time, of wave numbers. A calendar of parts of cycles: nearly all events lie a few cycles
// ahead, and a hundred in the same cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
  ~EventQueue();

  bool empty() const { return count_ == 0; }
  void push(Event event);
  // Of a queue that is not empty.
  Event pop();
  double next_time();
  // A wave whose turn comes soon, or some other one.
  uint32_t soon() const { return current_.size() > 1 ? current_[current_.size() - 2].wave : 0; }

 private:
  static constexpr uint64_t kDaysPerCycle = 16;
  static constexpr uint64_t kDays = 1024 * kDaysPerCycle;   // on the calendar
  static constexpr uint32_t kNobody = ~uint32_t(0);

  static uint64_t day_of(double time) { return uint64_t(time * kDaysPerCycle); }
  void begin_next_day();
  void enter_today(Event event);
  void enter(Event event, uint64_t day);
  uint64_t next_day_with_events() const;

  std::vector<Event> current_;      // events of the days up to today_, the next one last
  uint64_t today_ = 0;
  std::vector<Event> later_;        // beyond the calendar: a heap
  std::vector<double> noted_;       // time by wave, when it is on the calendar
  std::vector<uint32_t> following_; // by wave: another one of the same day
  struct Calendar {
    uint32_t first[kDays];             // wave of each day
    uint64_t used[kDays / 64] = {};    // days that have events
    uint64_t used_weeks[kDays / 64 / 64] = {};   // of 64 days, likewise
    Calendar();
  };
  static std::unique_ptr<Calendar>& spare_calendar();   // an empty one of this thread, or none
  std::unique_ptr<Calendar> calendar_;
  size_t count_ = 0;
};

}  // namespace model
}  // namespace vgpu
