#include "model/xcd/event_queue.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

// Not a function: sorting calls this often enough that it has to be inlined.
constexpr auto comes_later = [](const Event& a, const Event& b) {
  return a.time != b.time ? a.time > b.time : a.wave > b.wave;
};

}  // namespace

EventQueue::EventQueue(size_t waves) : noted_(waves), following_(waves) {
  std::fill(first_, first_ + kDays, kNobody);
}

void EventQueue::push(const Event& event) {
  ++count_;
  const uint64_t day = uint64_t(event.time);
  if (day <= today_) {
    current_.insert(std::upper_bound(current_.begin(), current_.end(), event, comes_later), event);
  } else if (day - today_ < kDays) {
    enter(event, day);
  } else {
    later_.push_back(event);
    std::push_heap(later_.begin(), later_.end(), comes_later);
  }
}

Event EventQueue::pop() {
  if (current_.empty()) begin_next_day();
  Event event = current_.back();
  current_.pop_back();
  --count_;
  return event;
}

double EventQueue::next_time() {
  if (current_.empty()) begin_next_day();
  return current_.back().time;
}

void EventQueue::enter(const Event& event, uint64_t day) {
  const uint64_t place = day % kDays;
  noted_[event.wave] = event;
  following_[event.wave] = first_[place];
  first_[place] = event.wave;
  used_[place / 64] |= uint64_t(1) << place % 64;
}

uint64_t EventQueue::next_day_with_events() const {
  for (uint64_t day = today_ + 1; day < today_ + kDays; day = (day / 64 + 1) * 64)
    if (uint64_t days = used_[day % kDays / 64] >> day % 64)
      return day + uint64_t(__builtin_ctzll(days));
  return uint64_t(later_.front().time);
}

void EventQueue::begin_next_day() {
  today_ = next_day_with_events();
  while (!later_.empty() && uint64_t(later_.front().time) - today_ < kDays) {
    std::pop_heap(later_.begin(), later_.end(), comes_later);
    enter(later_.back(), uint64_t(later_.back().time));
    later_.pop_back();
  }
  const uint64_t place = today_ % kDays;
  for (uint32_t wave = first_[place]; wave != kNobody; wave = following_[wave])
    current_.push_back(noted_[wave]);
  first_[place] = kNobody;
  used_[place / 64] &= ~(uint64_t(1) << place % 64);
  std::sort(current_.begin(), current_.end(), comes_later);
}

}  // namespace model
}  // namespace vgpu
