// What the instruction caches still hold when a dispatch begins: code lines that earlier dispatches of
// its queue executed. Nothing empties these caches between dispatches (the second dispatch of a kernel
// misses nothing in public recordings of vecCopy on MI300X). Code loaded anew has addresses of its own.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/launch/structure.h"
#include "model/memory/cache_tags.h"

namespace vgpu {
namespace model {

class CodeHistory {
 public:
  using Lines = DenseTags<NoState, calibration::kInstructionCacheWays>;

  // In the cache of a pair of CUs; null: nothing.
  const Lines* left_in(int xcd, int pair) const;

  // A dispatch of so many workgroups has ended that executed these lines, in ascending order. It is
  // taken to have executed all of them on every CU that had one of its workgroups.
  void executed(uint64_t groups, const std::vector<uint64_t>& lines);

 private:
  Lines& of_places_below(uint64_t end);

  // Workgroups go to one CU after the other, of one XCD after the other: CUs have places in that
  // order. Caches of the places below each number, and not below the one before it, hold the same.
  std::map<uint64_t, Lines> caches_;
};

}  // namespace model
}  // namespace vgpu
