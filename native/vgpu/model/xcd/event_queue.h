// What happens next: one pending event at most for each wave, taken in the order of time and, at
// the same time, of priorities and wave numbers. Few wait at a time, and what is added is mostly among the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace vgpu {
namespace model {

struct Event {
  double time;  // not negative
  uint32_t wave;
  uint32_t later = 0;  // than others at the same time, whatever their numbers
};

class EventQueue {
 public:
  bool empty() const { return keys_.empty(); }
  // Of a queue that is not empty.
  Event next() const { return event_of(keys_.back()); }
  Event pop() {
    const Event event = next();
    keys_.pop_back();
    return event;
  }
  void push(Event event) {
    const Key key = key_of(event);
    keys_.push_back(key);
    Key* const keys = keys_.data();
    size_t place = keys_.size() - 1;
    for (; place > 0 && keys[place - 1] < key; --place) keys[place] = keys[place - 1];
    keys[place] = key;
  }
  // Whether `event` comes before all others.
  bool would_be_next(Event event) const { return empty() || key_of(event) < keys_.back(); }

 private:
  // The time in the upper half, priority and wave in the lower one: the bits of numbers that are not negative
  // are in the order of the numbers.
  __extension__ using Key = unsigned __int128;
  static Key key_of(Event event) {
    uint64_t bits;
    std::memcpy(&bits, &event.time, sizeof bits);
    return Key(bits) << 64 | Key(event.later) << 32 | event.wave;
  }
  static Event event_of(Key key) {
    const uint64_t bits = uint64_t(key >> 64);
    Event event;
    std::memcpy(&event.time, &bits, sizeof bits);
    event.wave = uint32_t(key);
    event.later = uint32_t(key >> 32);
    return event;
  }

  std::vector<Key> keys_;  // the next one last
};

}  // namespace model
}  // namespace vgpu
