// The addresses of one memory instruction: how they lie to each other, and whether they may be used.
#pragma once

#include "exec/lanes/address_row.h"
#include "exec/lanes/lane_access.h"
#include "exec/lanes/masked_row.h"
#include "exec/wave/own_chain.h"
#include "exec/wave/services.h"
#include "memory/touched_pages.h"

namespace vgpu {
namespace VGPU_TARGET {

// The addresses of one memory instruction.
struct Access {
  alignas(64) uint64_t at[kLanes];  // host addresses when resolve() succeeded, else flat ones
  uint64_t exec;
  bool contiguous = false;                  // full exec mask and lanes lie one behind the other
  bool takes_row = false;                   // asked: of a contiguous row at[0] is enough
  bool takes_groups = false;                // asked: of groups that share one at[0..3] are enough
  bool in_groups = false;                   // they do
  bool takes_gaps = false;                  // asked: lanes one behind the other may be switched off
  bool with_gaps = false;                   // they are, and the addresses of those mean nothing
  alignas(16) uint8_t outside[kLanes][16];  // stands for LDS that was not allocated, lane by lane
};

VGPU_INLINE bool active(uint64_t exec, int lane) { return (exec >> lane) & 1; }

// Inactive lanes take the address of an active one, so that loads need no mask.
VGPU_INLINE void fill_inactive(Access& a) {
  if (a.exec == ~uint64_t(0)) return;
  uint64_t some = a.at[__builtin_ctzll(a.exec)];
  for (int l = 0; l < kLanes; ++l) a.at[l] = active(a.exec, l) ? a.at[l] : some;
}

VGPU_INLINE bool is_contiguous(const Access& a, uint64_t bytes) {
  if (a.exec != ~uint64_t(0)) return false;
  uint64_t different = 0, first = a.at[0];
  if (a.at[kLanes - 1] != first + (kLanes - 1) * bytes) return false;  // most others differ there
  for (int l = 0; l < kLanes; ++l) different |= a.at[l] ^ (first + uint64_t(l) * bytes);
  return different == 0;
}

constexpr uint64_t kAllLanes = ~uint64_t(0);

// Whether the offsets of the active lanes lie one behind the other, with no wrap between them.
VGPU_INLINE bool offsets_in_a_row(const uint32_t* offsets, uint32_t bytes, uint64_t exec) {
  const uint32_t first = uint32_t(__builtin_ctzll(exec));
  const uint32_t last = uint32_t(kLanes - 1 - __builtin_clzll(exec));
  const uint32_t apart = (last - first) * bytes;
  if (offsets[last] - offsets[first] != apart || offsets[last] < apart) return false;
  Sixteen expected = kPlaces * bytes + (offsets[first] - first * bytes), different = {};
  for (int l = 0; l < kLanes; l += kNeighbours, expected += kNeighbours * bytes)
    different |= (row_sixteen(offsets + l) ^ expected) & taking_part(exec, l);
  return is_zero(different);
}

// Whether the active lanes have the same value.
VGPU_INLINE bool is_uniform(const uint32_t* row, uint64_t exec) {
  const uint32_t first = row[__builtin_ctzll(exec)];
  Sixteen different = {};
  for (int l = 0; l < kLanes; l += kNeighbours)
    different |= (row_sixteen(row + l) ^ first) & taking_part(exec, l);
  return is_zero(different);
}

// Whether each sixteen neighbours have the same value. Compared with itself, too: whole vectors are
// read, as they were written.
VGPU_INLINE bool in_equal_groups(const uint32_t* row) {
  constexpr int last = kNeighbours - 1;
  if (row[0] != row[last] || row[kLanes - 1 - last] != row[kLanes - 1]) return false;
  Sixteen different = {};
  for (int l = 0; l < kLanes; l += kNeighbours) different |= row_sixteen(row + l) ^ row[l];
  return is_zero(different);
}

// Instructions mostly stay within one allocation, so each remembers the last range it used. Null
// when a byte of [low, high) is not accessible, or when addresses wrap around in it.
VGPU_INLINE const AccessRange* allowing_range(Wave& w, const Inst& i, uint64_t low, uint64_t high) {
  AccessRange& range = w.ranges[(reinterpret_cast<uintptr_t>(&i) >> 8) % kAccessRanges];
  bool allowed =
      (low >= range.low && low < high && high <= range.high) || find_range(low, high, range);
  return allowed ? &range : nullptr;
}

// An atomic is aligned, so that it touches one page and one piece.
VGPU_INLINE void touch_one(const Wave& w, const AccessRange& range, uint64_t address) {
  if (!w.touched) return;
  TouchedPages::mark(w.touched, address + range.to_physical);
  *TouchedPages::piece(w.pieces, address + range.to_physical) = 1;
}

// Marks the pages and pieces of lanes that share them, as few addresses say.
template <int Count>
VGPU_INLINE void touch_few(const Wave& w, const AccessRange& range, const uint64_t* at) {
  if (!w.touched) return;
  // Marks are bytes, which might be anything: what they need is read before them.
  uint8_t *const touched = w.touched, *const pieces = w.pieces;
  uint64_t physical[Count];
  for (int n = 0; n < Count; ++n) physical[n] = at[n] + range.to_physical;
  for (uint64_t place : physical) {
    TouchedPages::mark(touched, place);
    *TouchedPages::piece(pieces, place) = 1;
  }
}

// Marks the pages of 64 lanes one behind the other, two at most, and their pieces: as many as a lane
// has bytes, or one more.
VGPU_INLINE void touch_row(const Wave& w, const AccessRange& range, uint64_t low, uint64_t bytes) {
  if (!w.touched) return;
  static_assert(kLanes == TouchedPages::kPieceBytes, "a byte of each lane fills a piece");
  const uint64_t last = low + bytes * kLanes - 1;
  TouchedPages::mark(w.touched, low + range.to_physical);
  TouchedPages::mark(w.touched, last + range.to_physical);
  std::memset(TouchedPages::piece(w.pieces, low + range.to_physical), 1, bytes);
  *TouchedPages::piece(w.pieces, last + range.to_physical) = 1;
}

// Where lane 0 lies, or would, when the active lanes lie one behind the other, each aligned.
VGPU_INLINE bool is_row_with_gaps(const Access& a, uint64_t bytes, uint64_t& lane_zero) {
  const int first = __builtin_ctzll(a.exec), last = kLanes - 1 - __builtin_clzll(a.exec);
  lane_zero = a.at[first] - uint64_t(first) * bytes;
  if (lane_zero % bytes || a.at[last] != lane_zero + uint64_t(last) * bytes) return false;
  uint64_t different = 0;
  for (int l = 0; l < kLanes; ++l)
    different |= active(a.exec, l) ? a.at[l] ^ (lane_zero + uint64_t(l) * bytes) : 0;
  return different == 0;
}

// Marks the pages of such lanes, two at most, and the pieces of those that are active.
VGPU_INLINE void touch_gapped_row(const Wave& w, const AccessRange& range, const Access& a,
                                  uint64_t lane_zero, uint64_t bytes) {
  if (!w.touched) return;
  const uint64_t first = uint64_t(__builtin_ctzll(a.exec));
  const uint64_t last = uint64_t(kLanes - 1 - __builtin_clzll(a.exec));
  TouchedPages::mark(w.touched, lane_zero + first * bytes + range.to_physical);
  TouchedPages::mark(w.touched, lane_zero + last * bytes + range.to_physical);
  for (uint64_t left = a.exec; left;) {
    const uint64_t lane = uint64_t(__builtin_ctzll(left));
    const uint64_t at = lane_zero + lane * bytes + range.to_physical;
    *TouchedPages::piece(w.pieces, at) = 1;
    const uint64_t next =
        lane + (TouchedPages::kPieceBytes - at % TouchedPages::kPieceBytes) / bytes;
    left &= next < kLanes ? ~uint64_t(0) << next : 0;
  }
}

// Takes such lanes, if what the host will touch of the row may be touched: the active lanes where it
// has masks, else all.
VGPU_INLINE bool take_gapped_row(Wave& w, const Inst& i, Access& a, uint64_t lane_zero,
                                 uint64_t bytes) {
  const uint64_t touched = kHostMasks ? a.exec : ~uint64_t(0);
  const uint64_t first = uint64_t(__builtin_ctzll(touched));
  const uint64_t end = uint64_t(kLanes - __builtin_clzll(touched));
  const AccessRange* range =
      allowing_range(w, i, lane_zero + first * bytes, lane_zero + end * bytes);
  if (!range) return false;
  touch_gapped_row(w, *range, a, lane_zero, bytes);
  a.with_gaps = true;
  a.at[0] = lane_zero;
  return true;
}

// Calls `use` with the unit (of 2^shift bytes) in which each lane begins; once for each unit when
// they are not far apart.
template <class Use>
VGPU_INLINE void for_each_begin(const Access& a, uint64_t to_physical, uint64_t low, uint64_t high,
                                int shift, Use use) {
  const uint64_t first = (low + to_physical) >> shift, last = (high + to_physical) >> shift;
  if (last - first < 64) {
    uint64_t begun = 0;
    for (int l = 0; l < kLanes; ++l)
      begun |= uint64_t(1) << (((a.at[l] + to_physical) >> shift) - first);
    for (; begun; begun &= begun - 1) use((first + uint64_t(__builtin_ctzll(begun))) << shift);
  } else {
    for (int l = 0; l < kLanes; ++l) use(a.at[l] + to_physical);
  }
}

// Marks the pages and pieces where lanes begin, which lie from `low` to `high`.
VGPU_INLINE void touch_lanes(const Wave& w, const AccessRange& range, const Access& a, uint64_t low,
                             uint64_t high) {
  if (!w.touched) return;
  // Marks are bytes, which might be anything: what the loops need is read before them.
  uint8_t *const touched = w.touched, *const pieces = w.pieces;
  const uint64_t to_physical = range.to_physical;
  TouchedPages::mark(touched, low + to_physical);
  *TouchedPages::piece(pieces, low + to_physical) = 1;
  const uint64_t apart = (low + to_physical) ^ (high + to_physical);
  if (apart < TouchedPages::kPieceBytes) return;
  for_each_begin(a, to_physical, low, high, TouchedPages::kPieceShift,
                 [=](uint64_t at) { *TouchedPages::piece(pieces, at) = 1; });
  if (apart < TouchedPages::kPageBytes) return;
  for_each_begin(a, to_physical, low, high, TouchedPages::kPageShift,
                 [=](uint64_t at) { TouchedPages::mark(touched, at); });
}

// Checks global addresses for `bytes` per lane; faults on the first bad lane.
VGPU_INLINE void check_global(Wave& w, const Inst& i, Access& a, uint64_t bytes) {
  a.contiguous = is_contiguous(a, bytes);
  if (a.contiguous) {
    const uint64_t end = a.at[0] + bytes * kLanes;
    if (const AccessRange* range = allowing_range(w, i, a.at[0], end))
      return touch_row(w, *range, a.at[0], bytes);
  } else if (uint64_t lane_zero; a.takes_gaps && is_row_with_gaps(a, bytes, lane_zero)) {
    if (take_gapped_row(w, i, a, lane_zero, bytes)) return;
  }
  fill_inactive(a);
  const auto [low, high] = bounds_of(a.at);
  if (high < high + bytes)
    if (const AccessRange* range = allowing_range(w, i, low, high + bytes))
      return touch_lanes(w, *range, a, low, high);
  check_lanes(w, i, a.at, a.exec, bytes);
}

VGPU_INLINE void count_bytes(Wave& w, const Access& a, uint64_t bytes) {
  w.memory_bytes += uint64_t(__builtin_popcountll(a.exec)) * bytes;
  note_memory(w);
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
