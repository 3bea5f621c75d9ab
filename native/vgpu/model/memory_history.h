// What the Infinity Cache (MALL) still holds of each page. It lies at the memory's side, so it keeps
// data from one dispatch to the next, and all XCDs share it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "../exec/touched_pages.h"
#include "cache_tags.h"
#include "structure.h"
#include "tape.h"

namespace vgpu {
namespace model {

class MemoryHistory {
 public:
  // Begins a dispatch that touches these pages; `tapes` are of workgroups of XCD 0.
  void begin(const std::vector<TouchedPage>& touched, const std::vector<GroupTape>& tapes);

  // Whether the cache answers for a line that the L2 of XCD 0 misses: `again` when this dispatch has
  // fetched it before. Decided by a hash of the line, so that it is the same in every run.
  bool holds(uint64_t line, bool again);

  // True the first time that any dispatch of this history touches the page of `line`.
  bool first_touch(uint64_t line);

  // Whether the translation cache of a CU of XCD 0 has the page; it has it from now on.
  bool translated(int unit, uint64_t page) { return pages_of_units_[size_t(unit)].take(page).hit; }

  double footprint() const { return footprint_; }   // bytes of the pages that the dispatch touches

  void end();   // the touched pages are the most recent ones now

 private:
  using Stamp = uint32_t;   // number of a dispatch
  struct Page {
    Stamp used = 0;         // by this dispatch last; 0: never, or too long ago
    Stamp current = 0;      // dispatch that the following belong to
    uint32_t lines = 0;     // mask of those that the tapes touch
    uint8_t xcds = 0;       // how many touch it
  };
  static constexpr uint64_t kPagesPerBlock =
      uint64_t(1) << (TouchedPages::kBlockShift - TouchedPages::kPageShift);
  struct Block {
    std::array<Page, kPagesPerBlock> pages;
    std::vector<bool> translated = std::vector<bool>(kPagesPerBlock);   // by first page of each
  };

  Page& page_of(uint64_t number);
  Page& touch(uint64_t number, uint8_t xcds);
  void note_lines(const std::vector<GroupTape>& tapes);
  double kept_since(Stamp used);
  double fetched_by_others(const Page& page) const;

  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<uint32_t> touched_;           // numbers of pages
  std::map<Stamp, uint64_t> used_pages_;    // how many were used last by each dispatch
  struct Kept {
    Stamp used;
    double share;   // of the lines of its pages that are still there
  };
  std::vector<Kept> kept_;                  // when the dispatch began, oldest first
  Kept last_kept_{0, 0};
  double footprint_ = 0, reuse_ = 1;
  Stamp now_ = 0;
  struct Nothing {};
  using UnitPages = DenseTags<Nothing, calibration::kTranslationEntries>;
  std::vector<UnitPages> pages_of_units_{calibration::kUnitsPerXcd,
                                         UnitPages(calibration::kTranslationEntries)};
};

}  // namespace model
}  // namespace vgpu
