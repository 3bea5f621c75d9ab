// Tags of a set-associative cache with least-recently-used replacement, laid out so that a set of
// many ways is searched in a few vector instructions: they are asked millions of times.
#pragma once

#include <cstdint>
#include <vector>

namespace vgpu {
namespace model {

template <class State, int Ways>
class DenseTags {
 public:
  explicit DenseTags(uint64_t lines) : sets_(lines / Ways ? lines / Ways : 1) {}

  struct Found {
    State* state;
    bool hit;
    bool evicted;          // another line had to go; `*state` is as it left it
  };

  // The place of `line`, which it gets if it has none. The caller resets the state after a miss.
  Found take(uint64_t line) {
    Set& set = set_of(line);
    const uint32_t tag = tag_of(line);
    int way = way_of(set, tag);
    if (way >= 0) {
      set.used[way] = ++clock_;
      return {&set.states[way], true, false};
    }
    way = 0;
    for (int w = 1; w < Ways; ++w)
      if (set.used[w] < set.used[way]) way = w;
    Found found{&set.states[way], false, set.tags[way] != kFree};
    set.tags[way] = tag;
    set.used[way] = ++clock_;
    return found;
  }

  void forget(uint64_t line) {
    Set& set = set_of(line);
    int way = way_of(set, tag_of(line));
    if (way < 0) return;
    set.tags[way] = kFree;
    set.used[way] = 0;
  }

  // Takes no time: sets are emptied when they are used next.
  void clear() {
    ++epoch_;
    touched_.clear();
  }

  template <class Visit>
  void for_each(Visit visit) {
    for (uint32_t index : touched_)
      for (int w = 0; w < Ways; ++w)
        if (sets_[index].tags[w] != kFree) visit(sets_[index].states[w]);
  }

 private:
  static constexpr uint32_t kFree = 0;
  struct Set {
    uint32_t tags[Ways] = {};
    uint64_t used[Ways] = {};
    State states[Ways] = {};
    uint64_t epoch = 0;
  };

  // Lines below 2^31 (256 GB of device memory) and those of private memory, each exactly.
  static uint32_t tag_of(uint64_t line) {
    uint32_t low = uint32_t(line & 0x7fffffff);
    return (line >> 31 ? 0x80000000 | low : low) + 1;
  }
  static int way_of(const Set& set, uint32_t tag) {
    int found = -1;
    for (int w = 0; w < Ways; ++w) found = set.tags[w] == tag ? w : found;
    return found;
  }
  // Folding upper bits in keeps power-of-two strides from meeting in one set.
  Set& set_of(uint64_t line) {
    uint64_t index = (line ^ (line >> 7) ^ (line >> 15)) % sets_.size();
    Set& set = sets_[index];
    if (set.epoch != epoch_) {
      set = Set{};
      set.epoch = epoch_;
      touched_.push_back(uint32_t(index));
    }
    return set;
  }

  std::vector<Set> sets_;
  std::vector<uint32_t> touched_;   // sets in use
  uint64_t clock_ = 0, epoch_ = 1;
};

}  // namespace model
}  // namespace vgpu
