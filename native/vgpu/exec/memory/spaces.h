// Where each lane's data lies: resolve() turns the operands into host addresses; false asks for the
// lane path.
#pragma once

#include "exec/lanes/whole_words.h"
#include "exec/memory/access.h"
#include "exec/scalar/operands.h"

namespace vgpu {
namespace VGPU_TARGET {

struct GlobalSpace {
  static constexpr bool kRowwise = false;  // a lane's dwords are adjacent
  static constexpr bool kShared = true;    // other host threads may touch the same words

  static VGPU_INLINE void addresses(const Wave& w, const Inst& i, uint64_t* at) {
    uint64_t base = uint64_t(int64_t(i.offset));
    const uint32_t* low = w.row(i.src[0]);
    if (i.src[2].kind == OperandKind::Sgpr) {
      base += w.pair(i.src[2].reg & 126);
      for (int l = 0; l < kLanes; ++l) at[l] = base + low[l];
    } else {
      const uint32_t* high = low + kLanes;
      for (int l = 0; l < kLanes; ++l) at[l] = base + (uint64_t(high[l]) << 32 | low[l]);
    }
  }
  static VGPU_INLINE bool resolve(Wave& w, const Inst& i, uint64_t bytes, Access& a) {
    if (!resolve_at_once(w, i, bytes, a)) {
      addresses(w, i, a.at);
      check_global(w, i, a, bytes);
    }
    count_bytes(w, a, bytes);
    return true;
  }

  // Whether the active lanes have one base, to which their dwords are added.
  static VGPU_INLINE bool has_base(const Wave& w, const Inst& i, uint64_t exec, uint64_t& base) {
    base = uint64_t(int64_t(i.offset));
    if (i.src[2].kind == OperandKind::Sgpr) {
      base += w.pair(i.src[2].reg & 126);
      return true;
    }
    const uint32_t* high = w.row(i.src[0]) + kLanes;
    base += uint64_t(high[__builtin_ctzll(exec)]) << 32;
    return is_uniform(high, exec);
  }

 private:
  // Without the address of every lane.
  static VGPU_INLINE bool resolve_at_once(Wave& w, const Inst& i, uint64_t bytes, Access& a) {
    uint64_t base;
    if (a.exec != kAllLanes)
      return a.takes_gaps && has_base(w, i, a.exec, base) && resolve_gaps(w, i, base, bytes, a);
    return a.takes_row && has_base(w, i, kAllLanes, base) &&
           (resolve_row(w, i, base, bytes, a) || resolve_groups(w, i, base, bytes, a));
  }
  // The active lanes one behind the other.
  static VGPU_INLINE bool resolve_gaps(Wave& w, const Inst& i, uint64_t base, uint64_t bytes,
                                       Access& a) {
    const uint32_t* low = w.row(i.src[0]);
    if (!offsets_in_a_row(low, uint32_t(bytes), a.exec)) return false;
    const int first = __builtin_ctzll(a.exec);
    const uint64_t lane_zero = base + low[first] - uint64_t(first) * bytes;
    return lane_zero % bytes == 0 && take_gapped_row(w, i, a, lane_zero, bytes);
  }
  // The usual case, known without the address of every lane: all lanes one behind the other, in
  // memory that may be touched, at an address from which they move as a row.
  static VGPU_INLINE bool resolve_row(Wave& w, const Inst& i, uint64_t base, uint64_t bytes,
                                      Access& a) {
    const uint32_t* low = w.row(i.src[0]);
    if (!offsets_in_a_row(low, uint32_t(bytes), kAllLanes)) return false;
    const uint64_t first = base + low[0];
    if (bytes > 4 && first % 8) return false;
    const AccessRange* range = allowing_range(w, i, first, first + bytes * kLanes);
    if (!range) return false;
    touch_row(w, *range, first, bytes);
    a.at[0] = first;
    a.contiguous = true;
    return true;
  }
  // Sixteen neighbours share one, as those of a tile do that read the same row of it.
  static VGPU_INLINE bool resolve_groups(Wave& w, const Inst& i, uint64_t base, uint64_t bytes,
                                         Access& a) {
    const uint32_t* offsets = w.row(i.src[0]);
    if (!a.takes_groups || !in_equal_groups(offsets)) return false;
    uint64_t low = ~uint64_t(0), high = 0;
    for (int group = 0; group < kGroups; ++group) {
      a.at[group] = base + offsets[group * kNeighbours];
      low = a.at[group] < low ? a.at[group] : low;
      high = a.at[group] > high ? a.at[group] : high;
    }
    const AccessRange* range =
        high < high + bytes ? allowing_range(w, i, low, high + bytes) : nullptr;
    if (!range) return false;
    touch_few<kGroups>(w, *range, a.at);
    a.in_groups = true;
    return true;
  }
};

struct FlatSpace {
  static constexpr bool kRowwise = false;
  static constexpr bool kShared = true;

  static VGPU_INLINE bool resolve(Wave& w, const Inst& i, uint64_t bytes, Access& a) {
    GlobalSpace::addresses(w, i, a.at);
    fill_inactive(a);
    uint64_t all = 0;
    for (int l = 0; l < kLanes; ++l) all |= a.at[l];
    if (all >> 48) return false;  // an aperture: LDS or private memory
    check_global(w, i, a, bytes);
    count_bytes(w, a, bytes);
    return true;
  }
};

// Private memory is interleaved by dword: dword d of lane l lies at (d * 64 + l) * 4.
struct ScratchSpace {
  static constexpr bool kRowwise = true;
  static constexpr bool kShared = false;

  static VGPU_INLINE bool resolve(Wave& w, const Inst& i, uint64_t bytes, Access& a) {
    uint32_t base = uint32_t(i.offset);
    if (i.src[2].kind == OperandKind::Sgpr) base += w.sgpr[i.src[2].reg & 127];
    if (i.src[0].kind == OperandKind::None) return resolve_uniform(w, bytes, base, a);
    const uint32_t* vaddr = w.row(i.src[0]);
    for (int l = 0; l < kLanes; ++l) a.at[l] = base + vaddr[l];
    fill_inactive(a);
    uint64_t high = 0, unaligned = 0;
    for (int l = 0; l < kLanes; ++l) {
      uint64_t offset = uint32_t(a.at[l]);
      high = offset > high ? offset : high;
      unaligned |= (offset & 3) + bytes > 4 ? offset & 3 : 0;
      a.at[l] = offset;
    }
    if (high + bytes > w.scratch_bytes || unaligned) return to_flat(a);
    for (int l = 0; l < kLanes; ++l) a.at[l] = host(w, uint32_t(a.at[l]), l);
    return true;
  }

 private:
  static VGPU_INLINE uint64_t host(const Wave& w, uint32_t offset, int lane) {
    return reinterpret_cast<uint64_t>(w.scratch) + uint64_t(offset / 4) * 256 + uint64_t(lane) * 4 +
           offset % 4;
  }
  static VGPU_INLINE bool resolve_uniform(const Wave& w, uint64_t bytes, uint32_t offset,
                                          Access& a) {
    if (offset + bytes > w.scratch_bytes || (offset % 4 && offset % 4 + bytes > 4)) {
      for (int l = 0; l < kLanes; ++l) a.at[l] = offset;
      return to_flat(a);
    }
    for (int l = 0; l < kLanes; ++l) a.at[l] = host(w, offset, l);
    a.contiguous = a.exec == ~uint64_t(0) && offset % 4 == 0;
    return true;
  }
  static VGPU_INLINE bool to_flat(Access& a) {
    for (int l = 0; l < kLanes; ++l) a.at[l] |= kPrivateAperture;
    return false;
  }
};

struct LdsSpace {
  static constexpr bool kRowwise = false;
  static constexpr bool kShared = false;

  static VGPU_INLINE bool resolve(Wave& w, const Inst& i, uint64_t bytes, Access& a) {
    return resolve_at(w, i, uint32_t(i.offset) & 0xffff, bytes, a);
  }
  static VGPU_INLINE bool resolve_at(Wave& w, const Inst& i, uint32_t offset, uint64_t bytes,
                                     Access& a) {
    note_lds(w);
    const uint32_t* vaddr = w.row(i.src[0]);
    if (a.takes_row && resolve_row(w, vaddr, offset, bytes, a)) return true;
    // Compilers fold offsets onto negative bases: the sum wraps around at 32 bits.
    for (int l = 0; l < kLanes; ++l) a.at[l] = vaddr[l] + offset;
    fill_inactive(a);
    uint64_t high = 0;
    for (int l = 0; l < kLanes; ++l) high = a.at[l] > high ? a.at[l] : high;
    if (high + bytes > w.lds_bytes) return resolve_outside(w, i, bytes, a);
    a.contiguous = is_contiguous(a, bytes);
    uint64_t base = reinterpret_cast<uint64_t>(w.lds);
    for (int l = 0; l < kLanes; ++l) a.at[l] += base;
    return true;
  }

 private:
  // All lanes one behind the other and inside.
  static VGPU_INLINE bool resolve_row(const Wave& w, const uint32_t* vaddr, uint32_t offset,
                                      uint64_t bytes, Access& a) {
    const uint32_t first = vaddr[0] + offset;
    if (a.exec != ~uint64_t(0) || first + bytes * kLanes > w.lds_bytes) return false;
    if (!offsets_in_a_row(vaddr, uint32_t(bytes), kAllLanes)) return false;
    a.at[0] = reinterpret_cast<uint64_t>(w.lds) + first;
    a.contiguous = true;
    return true;
  }
  // The hardware reads 0 outside of the allocation and drops what is written: such a lane gets a
  // zeroed place of its own that nobody looks at again. An element that is partly outside is
  // outside as a whole.
  static bool resolve_outside(Wave& w, const Inst& i, uint64_t bytes, Access& a) {
    std::memset(a.outside, 0, sizeof a.outside);
    uint64_t base = reinterpret_cast<uint64_t>(w.lds);
    for (int l = 0; l < kLanes; ++l) {
      bool inside = a.at[l] + bytes <= w.lds_bytes;
      if (!inside && active(a.exec, l)) lane_outside_lds(w, i, l, a.at[l]);
      a.at[l] = inside ? base + a.at[l] : reinterpret_cast<uint64_t>(a.outside[l]);
    }
    return true;
  }
};

}  // namespace VGPU_TARGET
}  // namespace vgpu
