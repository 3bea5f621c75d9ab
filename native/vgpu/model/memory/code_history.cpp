#include "model/memory/code_history.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr uint64_t kPlaces = uint64_t(kXcds) * kUnitsPerXcd;

// Of the first CU of the pair.
uint64_t place_of(int xcd, int pair) {
  return uint64_t(first_unit_of_pair(pair)) * kXcds + uint64_t(xcd);
}

}  // namespace

const CodeHistory::Lines* CodeHistory::left_in(int xcd, int pair) const {
  const auto found = caches_.upper_bound(place_of(xcd, pair));
  return found == caches_.end() ? nullptr : &found->second;
}

// Those that were like the ones above them so far are apart from now on.
CodeHistory::Lines& CodeHistory::of_places_below(uint64_t end) {
  const auto above = caches_.lower_bound(end);
  if (above != caches_.end() && above->first == end) return above->second;
  const Lines like = above != caches_.end() ? above->second
                                            : Lines(kInstructionCacheBytes / kInstructionLineBytes);
  return caches_.emplace_hint(above, end, like)->second;
}

void CodeHistory::executed(uint64_t groups, const std::vector<uint64_t>& lines) {
  if (lines.empty() || groups == 0) return;
  const uint64_t end = std::min(groups, kPlaces);
  of_places_below(end);
  for (auto& [below, cache] : caches_) {
    if (below > end) break;
    for (uint64_t line : lines)
      for (uint64_t ahead = 0; ahead <= uint64_t(kPrefetchedCodeLines); ++ahead)
        cache.take(line + ahead);
  }
}

}  // namespace model
}  // namespace vgpu
