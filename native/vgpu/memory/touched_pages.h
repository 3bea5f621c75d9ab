// Which pages of memory a dispatch touches, and from which XCD. Every wave leaves marks, also those
// that the timing simulation does not look at: what a dispatch leaves in the Infinity Cache depends
// on all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/structure.h"
#include "host/cpu_target.h"
#include "host/lazy_memory.h"

namespace vgpu {

struct TouchedPage {
  uint32_t number;   // physical address over TouchedPages::kPageBytes
  uint8_t xcds;      // mask
};

struct TouchedMemory {
  std::vector<TouchedPage> pages;   // by number
  uint64_t bytes = 0;               // that lanes moved, each as often as it was
};

// A byte for each page and XCD, and one for each block of pages, where looking for marks begins.
// Marking is storing a 1: it does not matter which host thread does so, or when.
class TouchedPages {
 public:
  static constexpr int kPageShift = 12, kBlockShift = 21;
  static constexpr uint64_t kPageBytes = uint64_t(1) << kPageShift;
  static constexpr uint64_t kReach = uint64_t(1) << 38;   // physical addresses wrap around here
  static constexpr uint64_t kXcds = arch::calibration::kXcds;

  // What a wave on this XCD marks in.
  uint8_t* column(uint64_t xcd) { return memory_.reserve(kBytes) + xcd; }

  static VGPU_INLINE void mark(uint8_t* column, uint64_t physical) {
    column[((physical & (kReach - 1)) >> kBlockShift) * kXcds] = 1;
    column[kPagesAt + ((physical & (kReach - 1)) >> kPageShift) * kXcds] = 1;
  }

  // The marked pages below this physical address, by number; they are marked no more.
  std::vector<TouchedPage> take(uint64_t physical_end);

 private:
  static constexpr uint64_t kPagesAt = (kReach >> kBlockShift) * kXcds;
  static constexpr uint64_t kBytes = kPagesAt + (kReach >> kPageShift) * kXcds;

  LazyMemory memory_;
};

}  // namespace vgpu
