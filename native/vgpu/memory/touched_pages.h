// Which pages of memory a dispatch touches, and from which XCD. Every wave leaves marks, also those
// that the timing simulation does not look at: what a dispatch leaves in the Infinity Cache depends
// on all of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/structure.h"
#include "host/cpu_target.h"
#include "host/lazy_memory.h"
#include "memory/link.h"

namespace vgpu {

struct TouchedPage {
  uint32_t number;     // physical address over TouchedPages::kPageBytes
  uint8_t xcds;        // mask
  uint8_t pieces = 0;  // of it that were touched, but not by lanes one at a time
};

struct TouchedMemory {
  std::vector<TouchedPage> pages;               // of the device's own memory, by number
  std::array<uint64_t, kLinks> linked_bytes{};  // of others', distinct ones
  uint64_t bytes = 0;                           // that lanes moved, each as often as it was
  uint64_t most_atomics = 0;  // turns that the line with most of them had at least

  // Takes away the pages that are reached over links, which are by address.
  void leave_own(const std::vector<LinkedRange>& linked);
  double distinct_bytes() const;
};

// A byte for each page and XCD, and one for each block of pages, where looking for marks begins.
// Marking is storing a 1: it does not matter which host thread does so, or when.
class TouchedPages {
 public:
  static constexpr int kPageShift = 12, kBlockShift = 21;
  static constexpr uint64_t kPageBytes = uint64_t(1) << kPageShift;
  static constexpr uint64_t kReach = uint64_t(1) << 38;  // physical addresses wrap around here
  static constexpr uint64_t kXcds = arch::calibration::kXcds;

  // What passes between the L2 and the memory's side.
  static constexpr int kPieceShift = 6;
  static constexpr uint64_t kPieceBytes = uint64_t(1) << kPieceShift;
  static constexpr int kLineShift = 7;

  // What a wave on this XCD marks in.
  uint8_t* column(uint64_t xcd) { return memory_.reserve(kBytes) + xcd; }
  // Where all waves mark pieces: a byte each.
  uint8_t* pieces() { return column(0) + kPiecesAt; }
  // Where all waves count atomics on lines.
  uint32_t* atomics() { return reinterpret_cast<uint32_t*>(column(0) + kAtomicsAt); }

  static VGPU_INLINE uint8_t* piece(uint8_t* pieces, uint64_t physical) {
    return pieces + ((physical & (kReach - 1)) >> kPieceShift);
  }
  // As often as an instruction makes others of its line wait; its page is marked, too.
  static VGPU_INLINE void count_atomics(uint32_t* atomics, uint64_t physical, uint32_t turns) {
    __atomic_store_n(atomics, 1, __ATOMIC_RELAXED);  // there are some
    __atomic_fetch_add(atomics + kFirstLine + ((physical & (kReach - 1)) >> kLineShift), turns,
                       __ATOMIC_RELAXED);
  }

  static VGPU_INLINE void mark(uint8_t* column, uint64_t physical) {
    column[((physical & (kReach - 1)) >> kBlockShift) * kXcds] = 1;
    column[kPagesAt + ((physical & (kReach - 1)) >> kPageShift) * kXcds] = 1;
  }

  // Takes over the marks that a workgroup on this XCD made in pages of its own, in the column of XCD 0:
  // they are marked there no more. Others may mark meanwhile. Returns how many bytes they stand for.
  uint64_t take_over(TouchedPages& own, uint64_t xcd, uint64_t physical_end);

  // The marked pages below this physical address, by number, and the most atomics on a line; they
  // are marked no more.
  TouchedMemory take(uint64_t physical_end);

 private:
  static constexpr uint64_t kPagesAt = (kReach >> kBlockShift) * kXcds;
  static constexpr uint64_t kPiecesAt = kPagesAt + (kReach >> kPageShift) * kXcds;
  static constexpr uint64_t kMostTogether =
      64;  // marks of one instruction may reach beyond the end
  static constexpr uint64_t kAtomicsAt = kPiecesAt + (kReach >> kPieceShift) + kMostTogether;
  static constexpr uint64_t kFirstLine = 16;
  static constexpr uint64_t kBytes =
      kAtomicsAt + (kFirstLine + (kReach >> kLineShift)) * sizeof(uint32_t);

  // Calls `use(number, mask of XCDs)` for the marked pages, which are marked no more.
  template <class Use>
  void take_pages(uint64_t physical_end, Use use);
  uint8_t take_pieces(uint64_t page);
  uint64_t take_atomics(uint64_t page);

  LazyMemory memory_;
};

}  // namespace vgpu
