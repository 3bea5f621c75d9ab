// The tags of a set-associative cache with least-recently-used replacement. Lines are numbers
// (address / line size); what a line holds is up to the caller, who keeps a value beside each tag.
#pragma once

#include <cstdint>
#include <vector>

namespace vgpu {
namespace model {

template <class Value>
class CacheTags {
 public:
  struct Entry {
    uint64_t line = ~uint64_t(0);
    uint64_t used = 0;
    Value value{};
    bool valid() const { return line != ~uint64_t(0); }
  };

  CacheTags(uint64_t lines, uint64_t ways)
      : ways_(ways), sets_(lines / ways ? lines / ways : 1), entries_(sets_ * ways_) {}

  // The entry that holds `line`, or null. A hit makes it the most recently used.
  Entry* find(uint64_t line) {
    Entry* set = &entries_[set_of(line) * ways_];
    for (uint64_t w = 0; w < ways_; ++w)
      if (set[w].line == line) {
        set[w].used = ++clock_;
        return &set[w];
      }
    return nullptr;
  }

  // The entry that `line` will take: the least recently used of its set, as it still is. The caller
  // looks at what is evicted, then calls `fill`.
  Entry* victim(uint64_t line) {
    Entry* set = &entries_[set_of(line) * ways_];
    Entry* oldest = set;
    for (uint64_t w = 0; w < ways_; ++w) {
      if (!set[w].valid()) return &set[w];
      if (set[w].used < oldest->used) oldest = &set[w];
    }
    return oldest;
  }
  void fill(Entry* entry, uint64_t line, Value value) { *entry = {line, ++clock_, value}; }

  void clear() {
    for (Entry& entry : entries_) entry = Entry{};
    clock_ = 0;
  }
  template <class Visit>
  void for_each(Visit visit) {
    for (Entry& entry : entries_)
      if (entry.valid()) visit(entry);
  }

 private:
  // Folding upper bits in keeps power-of-two strides from meeting in one set.
  uint64_t set_of(uint64_t line) const {
    return (line ^ (line >> 7) ^ (line >> 15)) % sets_;
  }

  uint64_t ways_, sets_, clock_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace model
}  // namespace vgpu
