// Tags of a set-associative cache with least-recently-used replacement. They are asked millions of
// times: a byte of each tag is enough to find the few that are worth a look, sixteen ways at a time,
// and the way that goes next is known without a search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "host/byte_bits.h"
#include "model/memory/use_order.h"

namespace vgpu {
namespace model {

// What decides in which set a line goes. LowBits: the lowest bits of its number, so that rows whose
// length is a power of two meet in one set. Folded: upper bits too, which keeps them apart.
enum class SetChoice { LowBits, Folded };

struct NoState {};

constexpr int kWaysAtOnce = 16;

// Which lines a set has, in the order of their use.
template <int Ways>
struct SetTags {
  uint8_t marks[Ways < kWaysAtOnce ? kWaysAtOnce : Ways] = {};  // of lines not there any more, too
  uint32_t tags[Ways] = {};
  UseOrder<Ways> order;
};

template <class State, int Ways, SetChoice Choice = SetChoice::Folded>
class DenseTags {
 public:
  // Of the same lines, where only which of them are there counts.
  using Lines = DenseTags<NoState, Ways, Choice>;

  // `lines` over `Ways` is a power of two.
  explicit DenseTags(uint64_t lines)
      : sets_(lines / Ways ? lines / Ways : 1), index_mask_(sets_.size() - 1) {}

  struct Found {
    State* state;
    bool hit;
    bool evicted;  // another line had to go; `*state` is as it left it
  };

  // The place of `line`, which it gets if it has none. The caller resets the state after a miss.
  Found take(uint64_t line) {
    Set& set = set_of(line);
    const uint32_t tag = tag_of(line);
    const int newest = set.order.newest();
    if (set.tags[newest] == tag) return {&set.states[newest], true, false};
    int way = way_of(set, tag);
    const bool hit = way >= 0;
    if (!hit) way = set.order.oldest();
    Found found{&set.states[way], hit, !hit && set.tags[way] != kFree};
    set.tags[way] = tag;
    set.marks[way] = mark_of(tag);
    set.order.make_newest(way);
    return found;
  }

  void forget(uint64_t line) {
    Set& set = set_of(line);
    int way = way_of(set, tag_of(line));
    if (way < 0) return;
    set.tags[way] = kFree;
    set.order.make_oldest(way);
  }

  // `line` is asked for soon.
  void prefetch(uint64_t line) const {
    const char* set = reinterpret_cast<const char*>(&sets_[index_of(line)]);
    __builtin_prefetch(set, 1);
    __builtin_prefetch(set + 64, 1);
  }

  // Takes no time: sets are emptied when they are used next, or get the lines of `left`, which stays
  // as it is until then, with states as they begin. As large as this one; null: none.
  void clear(const Lines* left = nullptr) {
    ++epoch_;
    left_ = left;
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
  static constexpr int kAtOnce = kWaysAtOnce;
  static_assert(Ways <= kAtOnce || Ways % kAtOnce == 0, "ways are compared sixteen at a time");
  static_assert(Ways <= 64, "a bit for each");

  template <class, int, SetChoice>
  friend class DenseTags;

  // What a look at the set needs comes first, in few lines of the host's cache.
  struct alignas(64) Set : SetTags<Ways> {
    uint64_t epoch = 0;
    State states[Ways] = {};
  };

  // Lines below 2^31 (256 GB of device memory) and those of private memory, each exactly.
  static uint32_t tag_of(uint64_t line) {
    uint32_t low = uint32_t(line & 0x7fffffff);
    return (line >> 31 ? 0x80000000 | low : low) + 1;
  }
  static uint8_t mark_of(uint32_t tag) { return uint8_t(tag * 0x9e3779b1 >> 24); }
  // Of all ways at once: in which sixteen of them a line is, the host could not guess.
  static uint64_t marked(const Set& set, uint8_t mark) {
    uint64_t found = 0;
    for (int first = 0; first < Ways; first += kAtOnce) {
      found |= bits_of_16(equal_bytes(load_bytes(set.marks + first), mark)) << first;
    }
    return Ways < kAtOnce ? found & ((1u << Ways) - 1) : found;
  }
  static int way_of(const Set& set, uint32_t tag) {
    for (uint64_t found = marked(set, mark_of(tag)); found; found &= found - 1)
      if (const int way = __builtin_ctzll(found); set.tags[way] == tag) return way;
    return -1;
  }
  uint64_t index_of(uint64_t line) const {
    const uint64_t folded = Choice == SetChoice::Folded ? (line >> 7) ^ (line >> 15) : 0;
    return (line ^ folded) & index_mask_;
  }
  Set& set_of(uint64_t line) {
    const uint64_t index = index_of(line);
    Set& set = sets_[index];
    if (__builtin_expect(set.epoch != epoch_, 0)) begin(set, index);
    return set;
  }
  void begin(Set& set, uint64_t index) {
    set.epoch = epoch_;
    touched_.push_back(uint32_t(index));
    if (left_ && left_->sets_[index].epoch == left_->epoch_) {
      static_cast<SetTags<Ways>&>(set) = left_->sets_[index];
      std::fill(std::begin(set.states), std::end(set.states), State{});
      return;
    }
    std::memset(set.tags, 0, sizeof set.tags);    // nobody reads the states of lines not there
    std::memset(set.marks, 0, sizeof set.marks);  // the same lines may come again
    set.order = untouched_;
  }

  std::vector<Set> sets_;
  const UseOrder<Ways> untouched_;
  uint64_t index_mask_;
  std::vector<uint32_t> touched_;  // sets in use
  uint64_t epoch_ = 1;
  const Lines* left_ = nullptr;
};

}  // namespace model
}  // namespace vgpu
