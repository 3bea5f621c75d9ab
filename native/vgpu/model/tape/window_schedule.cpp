#include "model/tape/window_schedule.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kPlaceBytes = 128;  // of code: some 20 instructions
constexpr size_t kMostPlaces = 64;     // all code beyond is one more
// A wave that is so many times longer than what is kept of it may keep more, up to so many times.
constexpr uint64_t kVeryLong = 16, kMostGrowth = 4;
constexpr double kAccessFactor = 4;
// Steps.
constexpr uint64_t kRun = kWindowsPerRun * kWindowSteps;
constexpr uint64_t kLeastTouched = 4 * kWindowSteps, kMostTouched = 16 * kWindowSteps;
constexpr uint64_t kLeastSettling = 4 * kWindowSteps, kMostSettling = 8 * kWindowSteps;

// How long a window with accesses takes varies more: more of them are kept.
double crowding(const WindowSchedule::Place& place) {
  return place.runs > 1 ? place.runs / (place.accesses ? kAccessFactor : 1.0) : 0;
}

// The visit that stands for the `block`-th stretch of `gap` visits.
uint64_t chosen(uint64_t block, uint32_t gap) {
  for (uint32_t wide = gap; wide > 1; wide /= 2)
    block = 2 * block + WindowSchedule::keeps_second(block, wide / 2);
  return block;
}

}  // namespace

bool WindowSchedule::keeps_second(uint64_t pair, uint32_t gap) {
  uint64_t h = (pair * 2 + 1) * 0x9e3779b97f4a7c15u + gap * 0xbf58476d1ce4e5b9u;
  h ^= h >> 31;
  h *= 0x94d049bb133111ebu;
  return h >> 63;
}

void WindowSchedule::start(uint64_t first, const TapeRoom& room) {
  places_.clear();
  thinned_.clear();
  first_ = began_ = until_ = first;
  room_ = room;
  runs_ = place_ = 0;
  left_ = 0;
  look_ = first == 0 ? Look::Measure : Look::Skip;
  begins_run_ = false;
}

uint32_t WindowSchedule::find(uint64_t code) {
  if (place_ < places_.size() && places_[place_].code == code) return place_;
  for (uint32_t n = 0; n < places_.size(); ++n)
    if (places_[n].code == code) return n;
  if (places_.size() > kMostPlaces) return kMostPlaces;
  places_.push_back({code});
  return uint32_t(places_.size() - 1);
}

void WindowSchedule::thin(uint32_t number) {
  Place& place = places_[number];
  thinned_.push_back({number, place.gap});
  const uint32_t pairs = place.runs / 2;
  const bool last_stays = place.runs % 2 && !keeps_second(pairs, place.gap);
  runs_ -= place.runs - (pairs + last_stays);
  place.runs = pairs + last_stays;
  place.gap *= 2;
}

void WindowSchedule::thin_crowded() {
  if (until_ - first_ <= room_.whole) return;
  const uint64_t growth =
      std::clamp<uint64_t>((until_ - first_) / (kVeryLong * room_.runs * kRun), 1, kMostGrowth);
  if (runs_ <= room_.runs * growth) return;
  auto most = std::max_element(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
    return crowding(a) < crowding(b);
  });
  if (most->runs > 1) thin(uint32_t(most - places_.begin()));
}

bool WindowSchedule::shorten(const TapeRoom& room) {
  room_ = room;
  thinned_.clear();
  thin_crowded();
  return !thinned_.empty();
}

void WindowSchedule::begin_run(bool behind_gap) {
  ++places_[place_].runs;
  ++runs_;
  look_ = behind_gap ? Look::Touch : Look::Measure;
  left_ = behind_gap ? kMostTouched : kRun;
  touched_ = 0;
  first_access_ = nullptr;
  came_around_ = false;
}

void WindowSchedule::measure(uint64_t steps) {
  look_ = Look::Measure;
  left_ = steps;
}

void WindowSchedule::note_length() {
  if (place_ < places_.size()) places_[place_].steps += until_ - began_;
  began_ = until_;
}

void WindowSchedule::end(uint64_t step) {
  until_ = step;
  note_length();
}

// To the next window, which may be the first of another kind.
void WindowSchedule::go_on() {
  if (left_ == 0) return;
  const uint64_t passed = until_ - began_;
  if (look_ == Look::Touch) touched_ += passed;
  const bool nothing_to_touch = !first_access_ && touched_ >= kLeastTouched;
  left_ -= std::min(left_, passed);
  if (left_ != 0 && !(look_ == Look::Touch && (came_around_ || nothing_to_touch))) return;
  switch (look_) {
    case Look::Touch:
      look_ = Look::Settle;
      left_ = came_around_ ? std::clamp(touched_, kLeastSettling, kMostSettling) : kLeastSettling;
      break;
    case Look::Settle: measure(kRun - kWindowSteps); break;
    default: left_ = 0;
  }
}

void WindowSchedule::turn(uint64_t pc) {
  go_on();
  note_length();
  thinned_.clear();
  if (left_ == 0) thin_crowded();
  place_ = find(pc / kPlaceBytes);
  const Place& place = places_[place_];
  begins_run_ = left_ == 0 && place.visits >= chosen(place.runs, place.gap);
  // Where the wave comes for the first time nothing is in the caches, and it may not come again.
  const bool is_new = place.visits == 0;
  if (begins_run_) begin_run(!is_new && (!keeps() || !thinned_.empty()));
  else if (left_ == 0) look_ = Look::Skip;
  else if (is_new && look_ != Look::Measure) measure(kRun);
  ++places_[place_].visits;
  until_ += kWindowSteps;
}

}  // namespace model
}  // namespace vgpu
