// Tags of a set-associative cache with least-recently-used replacement. They are asked millions of
// times: a set is searched sixteen ways at a time, and the way that goes next is known without a
// search.
#pragma once

#include <emmintrin.h>  // SSE2, which every x86-64 host has

#include <cstdint>
#include <vector>

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
    if (set.tags[set.newest] == tag) return {&set.states[set.newest], true, false};
    int way = way_of(set, tag);
    const bool hit = way >= 0;
    if (!hit) way = set.oldest;
    Found found{&set.states[way], hit, !hit && set.tags[way] != kFree};
    set.tags[way] = tag;
    make_newest(set, way);
    return found;
  }

  void forget(uint64_t line) {
    Set& set = set_of(line);
    int way = way_of(set, tag_of(line));
    if (way < 0) return;
    set.tags[way] = kFree;
    make_oldest(set, way);
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
  static_assert(Ways <= 256 && Ways % kTagsAtOnce == 0 && kTagsAtOnce % 4 == 0,
                "ways have numbers of a byte and are compared four or sixteen at a time");

  // Ways in the order of use, as a list: `older` and `newer` name the neighbours of each.
  struct Order {
    uint8_t newest = Ways - 1, oldest = 0;
    alignas(16) uint32_t tags[Ways] = {};
    uint8_t older[Ways], newer[Ways];

    Order() {
      for (int w = 0; w < Ways; ++w) {
        newer[w] = uint8_t(w + 1);
        older[w] = uint8_t(w - 1);
      }
    }
  };
  struct Set : Order {
    uint64_t epoch = 0;
    State states[Ways] = {};
  };

  static void make_newest(Set& set, int way) {
    if (way == set.newest) return;
    const uint8_t newer = set.newer[way];
    if (way == set.oldest) set.oldest = newer;
    else join(set, set.older[way], newer);
    join(set, set.newest, uint8_t(way));
    set.newest = uint8_t(way);
  }
  static void make_oldest(Set& set, int way) {
    if (way == set.oldest) return;
    const uint8_t older = set.older[way];
    if (way == set.newest) set.newest = older;
    else join(set, older, set.newer[way]);
    join(set, uint8_t(way), set.oldest);
    set.oldest = uint8_t(way);
  }
  static void join(Set& set, uint8_t older, uint8_t newer) {
    set.newer[older] = newer;
    set.older[newer] = older;
  }

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
  Set& set_of(uint64_t line) {
    const uint64_t folded = Choice == SetChoice::Folded ? (line >> 7) ^ (line >> 15) : 0;
    const uint64_t index = (line ^ folded) & index_mask_;
    Set& set = sets_[index];
    if (__builtin_expect(set.epoch != epoch_, 0)) {
      static_cast<Order&>(set) = empty_;  // nobody reads the states of lines that are not there
      set.epoch = epoch_;
      touched_.push_back(uint32_t(index));
    }
    return set;
  }

  std::vector<Set> sets_;
  const Order empty_;
  uint64_t index_mask_;
  std::vector<uint32_t> touched_;  // sets in use
  uint64_t epoch_ = 1;
};

}  // namespace model
}  // namespace vgpu
