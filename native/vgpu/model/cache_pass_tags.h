// Tags of a set-associative cache with least-recently-used replacement, laid out so that a set of
// many ways is searched in a few vector instructions: the cache pass asks millions of times.
#pragma once

#include <cstdint>
#include <vector>

namespace vgpu {
namespace model {

template <class State, int Ways>
class DenseTags {
 public:
  explicit DenseTags(uint64_t lines) : sets_(lines / Ways ? lines / Ways : 1), tags_(sets_) {}

  struct Found {
    State* state;
    bool hit;
    bool evicted;          // another line had to go: `old_line` with `*state` as it left it
    uint64_t old_line;
  };

  State* find(uint64_t line) {
    Set& set = tags_[set_of(line)];
    int way = way_of(set, tag_of(line));
    if (way < 0) return nullptr;
    set.used[way] = ++clock_;
    return &set.states[way];
  }

  // The place of `line`, which it gets if it has none. The caller resets the state after a miss.
  Found take(uint64_t line) {
    Set& set = tags_[set_of(line)];
    uint32_t tag = tag_of(line);
    int way = way_of(set, tag);
    if (way >= 0) {
      set.used[way] = ++clock_;
      return {&set.states[way], true, false, 0};
    }
    way = 0;
    for (int w = 1; w < Ways; ++w)
      if (set.used[w] < set.used[way]) way = w;
    Found found{&set.states[way], false, set.tags[way] != 0, set.lines[way]};
    set.tags[way] = tag;
    set.lines[way] = line;
    set.used[way] = ++clock_;
    return found;
  }

  void forget(uint64_t line) {
    Set& set = tags_[set_of(line)];
    int way = way_of(set, tag_of(line));
    if (way < 0) return;
    set.tags[way] = 0;
    set.used[way] = 0;
  }

  void clear() {
    for (Set& set : tags_) set = Set{};
  }

  template <class Visit>
  void for_each(Visit visit) {
    for (Set& set : tags_)
      for (int w = 0; w < Ways; ++w)
        if (set.tags[w]) visit(set.lines[w], set.states[w]);
  }

 private:
  struct Set {
    uint32_t tags[Ways] = {};    // 0: free
    uint64_t used[Ways] = {};
    uint64_t lines[Ways] = {};
    State states[Ways] = {};
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
  uint64_t set_of(uint64_t line) const { return (line ^ (line >> 7) ^ (line >> 15)) % sets_; }

  uint64_t sets_, clock_ = 0;
  std::vector<Set> tags_;
};

}  // namespace model
}  // namespace vgpu
