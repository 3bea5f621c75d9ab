// The pages that the translation cache of a CU holds, in the order of their use.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/launch/structure.h"

namespace vgpu {
namespace model {

class PageStack {
 public:
  static constexpr size_t kMost = size_t(calibration::kTranslationEntries);

  // The page becomes the newest one. Returns how many are newer than it was: size() of before if it was
  // not there.
  size_t take(uint32_t page) {
    if (size_ && pages_[0] == page) return 0;
    size_t place = 0;
    while (place < size_ && pages_[place] != page) ++place;
    const size_t found = place;
    if (place == size_) size_ == kMost ? --place : ++size_;
    std::copy_backward(pages_.begin(), pages_.begin() + place, pages_.begin() + place + 1);
    pages_[0] = page;
    return found;
  }
  size_t size() const { return size_; }
  // The newest ones become those of another stack that has them, too, as its newest.
  void take_order(const PageStack& other, size_t newest) {
    std::copy_n(other.pages_.begin(), newest, pages_.begin());
  }

 private:
  std::array<uint32_t, kMost> pages_;
  size_t size_ = 0;
};

}  // namespace model
}  // namespace vgpu
