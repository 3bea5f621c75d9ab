#include "model/xcd/event_queue.h"

#include <algorithm>
#include <utility>

namespace vgpu {
namespace model {
namespace {

// Not a function: this is called often enough that it has to be inlined.
constexpr auto comes_later = [](const Event& a, const Event& b) {
  return (a.time > b.time) | ((a.time == b.time) & (a.wave > b.wave));
};

}  // namespace

EventQueue::Calendar::Calendar() { std::fill(first, first + kDays, kNobody); }

std::unique_ptr<EventQueue::Calendar>& EventQueue::spare_calendar() {
  static thread_local std::unique_ptr<Calendar> spare;
  return spare;
}

EventQueue::EventQueue(size_t waves)
    : noted_(waves), following_(waves), calendar_(std::move(spare_calendar())) {
  if (!calendar_) calendar_ = std::make_unique<Calendar>();
}

EventQueue::~EventQueue() {
  if (empty()) spare_calendar() = std::move(calendar_);
}

void EventQueue::push(Event event) {
  ++count_;
  const uint64_t day = day_of(event.time);
  if (day <= today_) {
    enter_today(event);
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

// Few are left today, and what is added is among the next.
void EventQueue::enter_today(Event event) {
  current_.push_back(event);
  size_t place = current_.size() - 1;
  for (; place > 0 && comes_later(event, current_[place - 1]); --place)
    current_[place] = current_[place - 1];
  current_[place] = event;
}

void EventQueue::enter(Event event, uint64_t day) {
  const uint64_t place = day % kDays;
  noted_[event.wave] = event.time;
  following_[event.wave] = calendar_->first[place];
  calendar_->first[place] = event.wave;
  calendar_->used[place / 64] |= uint64_t(1) << place % 64;
  calendar_->used_weeks[place / 64 / 64] |= uint64_t(1) << place / 64 % 64;
}

uint64_t EventQueue::next_day_with_events() const {
  const uint64_t tomorrow = today_ + 1;
  if (uint64_t days = calendar_->used[tomorrow % kDays / 64] >> tomorrow % 64)
    return tomorrow + uint64_t(__builtin_ctzll(days));
  const uint64_t this_week = tomorrow / 64;   // reached again, of the next calendar, in the end
  for (uint64_t week = this_week + 1; week <= this_week + kDays / 64; week = (week / 64 + 1) * 64)
    if (uint64_t weeks = calendar_->used_weeks[week % (kDays / 64) / 64] >> week % 64) {
      week += uint64_t(__builtin_ctzll(weeks));
      return week * 64 + uint64_t(__builtin_ctzll(calendar_->used[week % (kDays / 64)]));
    }
  return day_of(later_.front().time);
}

void EventQueue::begin_next_day() {
  today_ = next_day_with_events();
  while (!later_.empty() && day_of(later_.front().time) - today_ < kDays) {
    std::pop_heap(later_.begin(), later_.end(), comes_later);
    enter(later_.back(), day_of(later_.back().time));
    later_.pop_back();
  }
  const uint64_t place = today_ % kDays;
  for (uint32_t wave = calendar_->first[place]; wave != kNobody; wave = following_[wave])
    current_.push_back({noted_[wave], wave});
  calendar_->first[place] = kNobody;
  calendar_->used[place / 64] &= ~(uint64_t(1) << place % 64);
  if (calendar_->used[place / 64] == 0) calendar_->used_weeks[place / 64 / 64] &= ~(uint64_t(1) << place / 64 % 64);
  if (current_.size() > 1) std::sort(current_.begin(), current_.end(), comes_later);
}

}  // namespace model
}  // namespace vgpu
