// The ways of a cache set in the order of their use.
#pragma once

#include <cstdint>

namespace vgpu {
namespace model {

// As a list: `older` and `newer` name the neighbours of each way.
template <int Ways, bool Few = (Ways <= 16)>
class UseOrder {
 public:
  UseOrder() {
    for (int w = 0; w < Ways; ++w) {
      newer_[w] = uint8_t(w + 1);
      older_[w] = uint8_t(w - 1);
    }
  }
  int newest() const { return newest_; }
  int oldest() const { return oldest_; }

  void make_newest(int way) {
    if (way == newest_) return;
    const uint8_t newer = newer_[way];
    if (way == oldest_) oldest_ = newer;
    else join(older_[way], newer);
    join(newest_, uint8_t(way));
    newest_ = uint8_t(way);
  }
  void make_oldest(int way) {
    if (way == oldest_) return;
    const uint8_t older = older_[way];
    if (way == newest_) newest_ = older;
    else join(older, newer_[way]);
    join(uint8_t(way), oldest_);
    oldest_ = uint8_t(way);
  }

 private:
  static_assert(Ways <= 256, "ways have numbers of a byte");
  void join(uint8_t older, uint8_t newer) {
    newer_[older] = newer;
    older_[newer] = older;
  }

  uint8_t newest_ = Ways - 1, oldest_ = 0;
  uint8_t older_[Ways], newer_[Ways];
};

// Of few ways as one word: half a byte each, the newest one lowest.
template <int Ways>
class UseOrder<Ways, true> {
 public:
  int newest() const { return int(order_ & 15); }
  int oldest() const { return int(order_ >> kLast); }

  void make_newest(int way) {
    const uint64_t newer = below(way);
    order_ = (order_ & ~(newer << 4 | 15)) | (order_ & newer) << 4 | uint64_t(way);
  }
  void make_oldest(int way) {
    const uint64_t newer = below(way);
    order_ = (order_ & newer) | (order_ >> 4 & ~newer) | uint64_t(way) << kLast;
  }

 private:
  static constexpr int kLast = 4 * (Ways - 1);
  static constexpr uint64_t kEach = 0x1111111111111111;

  // Oldest first.
  static constexpr uint64_t untouched() {
    uint64_t order = 0;
    for (uint64_t way = 0; way < Ways; ++way) order = order << 4 | way;
    return order;
  }
  // Mask of the places of ways that are newer.
  uint64_t below(int way) const {
    const uint64_t different = order_ ^ uint64_t(way) * kEach;
    const uint64_t is_zero = (different - kEach) & ~different & (kEach << 3);
    return (is_zero & (0 - is_zero)) / 8 - 1;
  }

  uint64_t order_ = untouched();
};

}  // namespace model
}  // namespace vgpu
