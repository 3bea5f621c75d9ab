// What the Infinity Cache (MALL) still holds of each allocation. It lies at the memory's side, so
// it keeps data from one dispatch to the next. Kept per allocation, not per line: dispatches tend
// to touch all of an array or none of it.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "cache_tags.h"
#include "structure.h"

namespace vgpu {
namespace model {

class MemoryHistory {
 public:
  // Begins a dispatch that touches these allocations (physical base and size).
  struct Block {
    uint64_t base, bytes;
  };
  void begin(const std::vector<Block>& touched);

  // Whether the cache answers for a line that L2 misses: `again` when this dispatch has fetched it
  // before. Decided by a hash of the line, so that it is the same in every run.
  bool holds(uint64_t line, bool again) const;

  // True the first time that any dispatch of this history touches the page of `line`.
  bool first_touch(uint64_t line);

  // Whether the translation cache of a CU of XCD 0 has the page; it has it from now on.
  bool translated(int unit, uint64_t page) { return pages_of_units_[size_t(unit)].take(page).hit; }

  double footprint() const { return footprint_; }   // bytes that the dispatch may touch

  void end();   // the touched allocations are the most recent ones now

 private:
  struct Resident {
    Block block;
    double share;     // of its bytes that are in the cache
    uint64_t used;
  };
  const Resident* find(uint64_t address) const;

  std::vector<Resident> residents_;
  std::vector<Block> touched_;
  double footprint_ = 0, reuse_ = 1;
  uint64_t clock_ = 0;
  std::unordered_set<uint64_t> pages_;
  struct Nothing {};
  using UnitPages = DenseTags<Nothing, calibration::kTranslationEntries>;
  std::vector<UnitPages> pages_of_units_{calibration::kUnitsPerXcd,
                                         UnitPages(calibration::kTranslationEntries)};
};

}  // namespace model
}  // namespace vgpu
