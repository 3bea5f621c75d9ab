// Tags of a set-associative cache with least-recently-used replacement. They are asked millions of
// times: a set is searched sixteen ways at a time, and the way that goes next is known without a
// search.
#pragma once

#include <emmintrin.h>  // SSE2, which every x86-64 host has

#include <cstdint>
#include <cstring>
#include <vector>

#include "model/memory/use_order.h"

namespace vgpu {
namespace model {

// What decides in which set a line goes. LowBits: the lowest bits of its number, so that rows whose
// length is a power of two meet in one set. Folded: upper bits too, which keeps them apart.
enum class SetChoice { LowBits, Folded };

template <class State, int Ways, SetChoice Choice = SetChoice::Folded>
class DenseTags {
 public:
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
  static constexpr int kTagsAtOnce = Ways < 16 ? Ways : 16;
  static_assert(Ways % kTagsAtOnce == 0 && kTagsAtOnce % 4 == 0,
                "ways are compared four or sixteen at a time");

  // What a look at the set needs comes first, in few lines of the host's cache.
  struct alignas(64) Set {
    uint32_t tags[Ways] = {};
    UseOrder<Ways> order;
    uint64_t epoch = 0;
    State states[Ways] = {};
  };

  // Lines below 2^31 (256 GB of device memory) and those of private memory, each exactly.
  static uint32_t tag_of(uint64_t line) {
    uint32_t low = uint32_t(line & 0x7fffffff);
    return (line >> 31 ? 0x80000000 | low : low) + 1;
  }
  static int way_of(const Set& set, uint32_t tag) {
    const __m128i wanted = _mm_set1_epi32(int(tag));
    for (int first = 0; first < Ways; first += kTagsAtOnce) {
      __m128i equal[4] = {};
      for (int part = 0; part < kTagsAtOnce / 4; ++part)
        equal[part] = _mm_cmpeq_epi32(
            wanted, _mm_load_si128(reinterpret_cast<const __m128i*>(set.tags + first) + part));
      const __m128i bytes =
          _mm_packs_epi16(_mm_packs_epi32(equal[0], equal[1]), _mm_packs_epi32(equal[2], equal[3]));
      if (int found = _mm_movemask_epi8(bytes)) return first + __builtin_ctz(unsigned(found));
    }
    return -1;
  }
  uint64_t index_of(uint64_t line) const {
    const uint64_t folded = Choice == SetChoice::Folded ? (line >> 7) ^ (line >> 15) : 0;
    return (line ^ folded) & index_mask_;
  }
  Set& set_of(uint64_t line) {
    const uint64_t index = index_of(line);
    Set& set = sets_[index];
    if (__builtin_expect(set.epoch != epoch_, 0)) {
      std::memset(set.tags, 0, sizeof set.tags);  // nobody reads the states of lines not there
      set.order = untouched_;
      set.epoch = epoch_;
      touched_.push_back(uint32_t(index));
    }
    return set;
  }

  std::vector<Set> sets_;
  const UseOrder<Ways> untouched_;
  uint64_t index_mask_;
  std::vector<uint32_t> touched_;  // sets in use
  uint64_t epoch_ = 1;
};

}  // namespace model
}  // namespace vgpu
