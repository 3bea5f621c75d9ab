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

void TouchedMemory::leave_own(const std::vector<LinkedRange>& linked) {
  auto range = linked.begin();
  const auto is_linked = [&](const TouchedPage& page) {
    const uint64_t begin = page.number * TouchedPages::kPageBytes;
    while (range != linked.end() && range->end <= begin) ++range;
    if (range == linked.end() || begin + TouchedPages::kPageBytes <= range->begin) return false;
    linked_bytes[range->link] += page.pieces * TouchedPages::kPieceBytes;
    return true;
  };
  pages.erase(std::remove_if(pages.begin(), pages.end(), is_linked), pages.end());
}

double TouchedMemory::distinct_bytes() const {
  uint64_t pieces = 0;
  for (const TouchedPage& page : pages) pieces += page.pieces;
  return double(pieces * TouchedPages::kPieceBytes);
}

uint8_t TouchedPages::take_pieces(uint64_t page) {
  constexpr uint64_t kPerPage = kPageBytes / kPieceBytes;
  uint8_t* marks = pieces() + page * kPerPage;
  uint8_t count = 0;
  for (uint64_t n = 0; n < kPerPage; ++n) count = uint8_t(count + marks[n]);
  if (count) std::memset(marks, 0, kPerPage);
  return count;
}

uint64_t TouchedPages::take_atomics(uint64_t page) {
  constexpr uint64_t kPerPage = kPageBytes >> kLineShift;
  uint32_t* counts = atomics() + kFirstLine + page * kPerPage;
  const uint32_t most = *std::max_element(counts, counts + kPerPage);
  if (most) std::memset(counts, 0, kPerPage * sizeof *counts);
  return most;
}

template <class Use>
void TouchedPages::take_pages(uint64_t physical_end, Use use) {
  constexpr uint64_t kPagesPerBlock = uint64_t(1) << (kBlockShift - kPageShift);
  uint8_t* blocks = column(0);
  const uint64_t end = (std::min(physical_end, kReach - 1) >> kBlockShift) + 1;
  for (uint64_t block = 0; block < end; ++block) {
    if (!xcds_of(blocks + block * kXcds)) continue;
    std::memset(blocks + block * kXcds, 0, kXcds);
    uint8_t* marks = blocks + kPagesAt + block * kPagesPerBlock * kXcds;
    for (uint64_t page = 0; page < kPagesPerBlock; ++page)
      if (uint8_t xcds = xcds_of(marks + page * kXcds)) use(block * kPagesPerBlock + page, xcds);
    std::memset(marks, 0, kPagesPerBlock * kXcds);
  }
}

uint64_t TouchedPages::take_over(TouchedPages& own, uint64_t xcd, uint64_t physical_end) {
  constexpr uint64_t kPerPage = kPageBytes / kPieceBytes;
  uint64_t pieces_taken = 0;
  own.take_pages(physical_end, [&](uint64_t number, uint8_t) {
    mark(column(xcd), number << kPageShift);
    uint8_t *from = own.pieces() + number * kPerPage, *to = pieces() + number * kPerPage;
    for (uint64_t n = 0; n < kPerPage; ++n) {
      if (!from[n]) continue;
      to[n] = 1;
      ++pieces_taken;
    }
    std::memset(from, 0, kPerPage);
  });
  return pieces_taken * kPieceBytes;
}

TouchedMemory TouchedPages::take(uint64_t physical_end) {
  TouchedMemory touched;
  const bool has_atomics = *atomics();
  if (has_atomics) *atomics() = 0;
  take_pages(physical_end, [&](uint64_t number, uint8_t xcds) {
    touched.pages.push_back({uint32_t(number), xcds, take_pieces(number)});
    if (has_atomics) touched.most_atomics = std::max(touched.most_atomics, take_atomics(number));
  });
  return touched;
}

}  // namespace vgpu
