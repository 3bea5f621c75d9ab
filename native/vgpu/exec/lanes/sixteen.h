// Sixteen neighbouring lanes of a row at once. A compiler that sees a short loop over all 64 unrolls it
// first and then takes them one by one.
#pragma once

#include <cstring>

#include "exec/wave/wave.h"

namespace vgpu {
namespace VGPU_TARGET {

constexpr int kNeighbours = 16, kGroups = kLanes / kNeighbours;

typedef uint32_t Sixteen __attribute__((vector_size(64), aligned(1), may_alias));

VGPU_INLINE Sixteen row_sixteen(const uint32_t* row) {
  return *reinterpret_cast<const Sixteen*>(row);
}
VGPU_INLINE void set_row_sixteen(uint32_t* row, Sixteen v) { *reinterpret_cast<Sixteen*>(row) = v; }

VGPU_INLINE bool is_zero(const Sixteen& lanes) {
  uint64_t pairs[sizeof lanes / 8], some = 0;
  std::memcpy(pairs, &lanes, sizeof lanes);
  for (uint64_t pair : pairs) some |= pair;
  return some == 0;
}

// The places of the lanes, and a bit for each.
constexpr Sixteen kPlaces = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr Sixteen kBits = {1u << 0,  1u << 1,  1u << 2,  1u << 3, 1u << 4,  1u << 5,
                           1u << 6,  1u << 7,  1u << 8,  1u << 9, 1u << 10, 1u << 11,
                           1u << 12, 1u << 13, 1u << 14, 1u << 15};

// All ones for the lanes from `first` on that take part, as bits of a mask.
VGPU_INLINE Sixteen taking_part(uint64_t lanes, int first) {
  return Sixteen((kBits & uint32_t(lanes >> first)) != 0);
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
