#include "memory/touched_pages.h"

#include <algorithm>
#include <cstring>

namespace vgpu {
namespace {

// The bytes of all XCDs for one page or block, which are 0 or 1, as a mask.
uint8_t xcds_of(const uint8_t* marks) {
  static_assert(TouchedPages::kXcds == 8, "one word");
  uint64_t word;
  std::memcpy(&word, marks, sizeof word);
  return uint8_t(word * 0x0102040810204080 >> 56);
}

}  // namespace

std::vector<TouchedPage> TouchedPages::take(uint64_t physical_end) {
  constexpr uint64_t kPagesPerBlock = uint64_t(1) << (kBlockShift - kPageShift);
  std::vector<TouchedPage> pages;
  uint8_t* blocks = column(0);
  const uint64_t end = (std::min(physical_end, kReach - 1) >> kBlockShift) + 1;
  for (uint64_t block = 0; block < end; ++block) {
    if (!xcds_of(blocks + block * kXcds)) continue;
    std::memset(blocks + block * kXcds, 0, kXcds);
    uint8_t* marks = blocks + kPagesAt + block * kPagesPerBlock * kXcds;
    for (uint64_t page = 0; page < kPagesPerBlock; ++page)
      if (uint8_t xcds = xcds_of(marks + page * kXcds))
        pages.push_back({uint32_t(block * kPagesPerBlock + page), xcds});
    std::memset(marks, 0, kPagesPerBlock * kXcds);
  }
  return pages;
}

}  // namespace vgpu
