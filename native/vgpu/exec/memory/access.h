// Moving data between vector registers and memory: where each lane's data lies (a "space"), and how
// wide it is. Fast when all lanes touch one accessible stretch, exact for any mixture.
#pragma once

#include "exec/lanes/address_row.h"
#include "exec/lanes/atomic_ops.h"
#include "exec/lanes/lane_access.h"
#include "exec/lanes/masked_row.h"
#include "exec/lanes/whole_words.h"
#include "exec/scalar/operands.h"
#include "exec/wave/handler_table.h"
#include "exec/wave/own_chain.h"
#include "exec/wave/services.h"
#include "memory/touched_pages.h"

namespace vgpu {
namespace VGPU_TARGET {

// The addresses of one memory instruction.
struct Access {
  alignas(64) uint64_t at[kLanes];  // host addresses when resolve() succeeded, else flat ones
  uint64_t exec;
  bool contiguous = false;          // full exec mask and lanes lie one behind the other
  bool takes_gaps = false;          // asked: lanes one behind the other may be switched off
  bool with_gaps = false;           // they are, and the addresses of those mean nothing
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
  if (a.at[kLanes - 1] != first + (kLanes - 1) * bytes) return false;   // most others differ there
  for (int l = 0; l < kLanes; ++l) different |= a.at[l] ^ (first + uint64_t(l) * bytes);
  return different == 0;
}

// Instructions mostly stay within one allocation, so each remembers the last range it used. Null
// when a byte of [low, high) is not accessible.
VGPU_INLINE const AccessRange* allowing_range(Wave& w, const Inst& i, uint64_t low, uint64_t high) {
  AccessRange& range = w.ranges[(reinterpret_cast<uintptr_t>(&i) >> 8) % kAccessRanges];
  bool allowed = (low >= range.low && high <= range.high) || find_range(low, high, range);
  return allowed ? &range : nullptr;
}

// An atomic is aligned, so that it touches one page and one piece.
VGPU_INLINE void touch_one(const Wave& w, const AccessRange& range, uint64_t address) {
  if (!w.touched) return;
  TouchedPages::mark(w.touched, address + range.to_physical);
  *TouchedPages::piece(w.pieces, address + range.to_physical) = 1;
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
  const uint64_t low = a.at[__builtin_ctzll(a.exec)] + range.to_physical;
  const uint64_t high = a.at[kLanes - 1 - __builtin_clzll(a.exec)] + range.to_physical;
  TouchedPages::mark(w.touched, low);
  TouchedPages::mark(w.touched, high);
  for (uint64_t left = a.exec; left;) {
    const uint64_t lane = uint64_t(__builtin_ctzll(left));
    const uint64_t at = lane_zero + lane * bytes + range.to_physical;
    *TouchedPages::piece(w.pieces, at) = 1;
    const uint64_t next = lane + (TouchedPages::kPieceBytes - at % TouchedPages::kPieceBytes) / bytes;
    left &= next < kLanes ? ~uint64_t(0) << next : 0;
  }
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
    const uint64_t last = a.at[kLanes - 1 - __builtin_clzll(a.exec)];
    if (const AccessRange* range =
            allowing_range(w, i, a.at[__builtin_ctzll(a.exec)], last + bytes)) {
      touch_gapped_row(w, *range, a, lane_zero, bytes);
      a.with_gaps = true;
      a.at[0] = lane_zero;
      return;
    }
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

// --- Spaces: resolve() turns the operands into host addresses; false asks for the lane path ------

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
    addresses(w, i, a.at);
    check_global(w, i, a, bytes);
    count_bytes(w, a, bytes);
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
    return reinterpret_cast<uint64_t>(w.scratch) + uint64_t(offset / 4) * 256 +
           uint64_t(lane) * 4 + offset % 4;
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

// --- Loads ---------------------------------------------------------------------------------------

template <class T>
VGPU_INLINE T read_host(uint64_t address) {
  T v;
  std::memcpy(&v, reinterpret_cast<const void*>(address), sizeof v);
  return v;
}

template <class T>
VGPU_INLINE void write_host(uint64_t address, T v) {
  std::memcpy(reinterpret_cast<void*>(address), &v, sizeof v);
}

VGPU_INLINE void blend(uint32_t* row, const uint32_t* values, uint64_t exec) {
  if (exec == ~uint64_t(0)) {
    std::memcpy(row, values, kLanes * 4);
  } else {
    move_masked(row, values, exec);
  }
}

// Lanes one behind the other move as host vectors, which tear no pair that they start at.
template <class Space, int Dwords>
VGPU_INLINE bool moves_as_row(const Access& a) {
  return a.contiguous && (Dwords == 1 || !Space::kShared || a.at[0] % 8 == 0);
}

template <class Space, int Dwords>
VGPU_INLINE void load_resolved(Wave& w, const Operand& dst, const Access& a) {
  uint32_t* row = w.row(dst);
  if (Space::kRowwise && a.contiguous) {
    std::memcpy(row, reinterpret_cast<const void*>(a.at[0]), Dwords * kLanes * 4);
    return;
  }
  if (!Space::kRowwise && moves_as_row<Space, Dwords>(a))
    return load_row<Dwords>(reinterpret_cast<const void*>(a.at[0]), row);
  if (kHostMasks && a.with_gaps)
    return move_masked(row, reinterpret_cast<const uint32_t*>(a.at[0]), a.exec);
  alignas(64) uint32_t values[Dwords][kLanes];
  if (Space::kRowwise) {
    for (int l = 0; l < kLanes; ++l)
      for (int d = 0; d < Dwords; ++d) values[d][l] = read_host<uint32_t>(a.at[l] + d * 256);
  } else {
    if (a.exec == ~uint64_t(0)) return gather<Dwords>(a.at, row);
    gather<Dwords>(a.at, values[0]);
  }
  for (int d = 0; d < Dwords; ++d) blend(row + d * kLanes, values[d], a.exec);
}

template <class Space, int Dwords>
void load_dwords(Wave& w, const Inst& i) {
  Access a;
  a.exec = w.exec();
  if (a.exec == 0) return;
  a.takes_gaps = kHostMasks && Dwords == 1 && Space::kShared;
  if (Space::resolve(w, i, Dwords * 4, a))
    load_resolved<Space, Dwords>(w, i.dst, a);
  else
    for (int l = 0; l < kLanes; ++l)
      if (active(a.exec, l)) {
        uint32_t data[Dwords];
        lane_read(w, i, l, a.at[l], data, sizeof data);
        for (int d = 0; d < Dwords; ++d) w.row(i.dst, d)[l] = data[d];
      }
}

// Which part of the register a value narrower than 32 bits fills; the rest stays.
enum class Part { Whole, Low, High };

template <class T, Part P>
VGPU_INLINE uint32_t place(uint32_t old, T value) {
  uint32_t extended = uint32_t(int32_t(value));  // T's signedness decides how it extends
  if (P == Part::Low) return (old & 0xffff0000) | (extended & 0xffff);
  if (P == Part::High) return (old & 0xffff) | extended << 16;
  return extended;
}

template <class Space, class T, Part P>
void load_small(Wave& w, const Inst& i) {
  Access a;
  a.exec = w.exec();
  if (a.exec == 0) return;
  bool resolved = Space::resolve(w, i, sizeof(T), a);
  uint32_t* row = w.row(i.dst);
  alignas(64) uint32_t values[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    T value{};
    if (resolved)
      value = read_host<T>(a.at[l]);
    else if (active(a.exec, l))
      lane_read(w, i, l, a.at[l], &value, sizeof value);
    values[l] = place<T, P>(row[l], value);
  }
  blend(row, values, a.exec);
}

// --- Stores --------------------------------------------------------------------------------------

template <class Space, int Dwords>
VGPU_INLINE void store_resolved(Wave& w, const Operand& source, const Access& a) {
  const uint32_t* row = w.row(source);
  if (!Space::kRowwise && moves_as_row<Space, Dwords>(a))
    return store_row<Dwords>(reinterpret_cast<void*>(a.at[0]), row);
  if (kHostMasks && a.with_gaps)
    return move_masked(reinterpret_cast<uint32_t*>(a.at[0]), row, a.exec);
  if (!Space::kRowwise) return scatter<Dwords>(a.at, a.exec, row);
  if (a.contiguous) {
    std::memcpy(reinterpret_cast<void*>(a.at[0]), row, Dwords * kLanes * 4);
    return;
  }
  for (uint64_t left = a.exec; left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    for (int d = 0; d < Dwords; ++d) write_host(a.at[l] + d * 256, row[d * kLanes + l]);
  }
}

template <class Space, int Dwords>
void store_dwords(Wave& w, const Inst& i) {
  Access a;
  a.exec = w.exec();
  if (a.exec == 0) return;
  a.takes_gaps = kHostMasks && Dwords == 1 && Space::kShared;
  if (Space::resolve(w, i, Dwords * 4, a)) {
    if (Space::kShared && a.contiguous) w.stored_bytes += Dwords * 4 * kLanes;
    store_resolved<Space, Dwords>(w, i.src[1], a);
  } else {
    for (int l = 0; l < kLanes; ++l)
      if (active(a.exec, l)) {
        uint32_t data[Dwords];
        for (int d = 0; d < Dwords; ++d) data[d] = w.row(i.src[1], d)[l];
        lane_write(w, i, l, a.at[l], data, sizeof data);
      }
  }
}

template <class Space, class T, Part P>
void store_small(Wave& w, const Inst& i) {
  Access a;
  a.exec = w.exec();
  if (a.exec == 0) return;
  bool resolved = Space::resolve(w, i, sizeof(T), a);
  const uint32_t* row = w.row(i.src[1]);
  for (uint64_t left = a.exec; left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    T value = T(P == Part::High ? row[l] >> 16 : row[l]);
    if (resolved)
      write_host(a.at[l], value);
    else
      lane_write(w, i, l, a.at[l], &value, sizeof value);
  }
}

// --- Atomics -------------------------------------------------------------------------------------

template <class T>
VGPU_INLINE T lane_value(const Wave& w, const Operand& o, int first_dword, int lane) {
  T v = T(w.row(o, first_dword)[lane]);
  if (sizeof(T) == 8) v |= T(uint64_t(w.row(o, first_dword + 1)[lane]) << 32);
  return v;
}

template <class T>
VGPU_INLINE void set_lane_value(Wave& w, const Operand& o, int lane, T v, int first_dword = 0) {
  w.row(o, first_dword)[lane] = uint32_t(v);
  if (sizeof(T) == 8) w.row(o, first_dword + 1)[lane] = uint32_t(uint64_t(v) >> 32);
}

// A flat atomic that hits LDS or private memory, one lane at a time.
template <class F, class T>
VGPU_INLINE T modify_lane(Wave& w, const Inst& i, int lane, uint64_t address, T a, T b) {
  T old;
  lane_read(w, i, lane, address, &old, sizeof old);
  T next = F::template next<T>(old, a, b);
  if (address >> 48) {
    lane_write(w, i, lane, address, &next, sizeof next);
    return old;
  }
  return modify_shared<F>(reinterpret_cast<T*>(address), a, b);
}

// Counts how often the instruction makes others wait that have atomics on the same line. Lanes with
// one address have one turn each; of others in a line it is known that it has one at least.
VGPU_INLINE void count_atomics(Wave& w, const Inst& i, const Access& a) {
  constexpr uint64_t kLine = uint64_t(1) << TouchedPages::kLineShift;
  uint64_t low = ~uint64_t(0), high = 0;
  for (uint64_t left = a.exec; left; left &= left - 1) {
    const uint64_t at = a.at[__builtin_ctzll(left)];
    low = at < low ? at : low;
    high = at > high ? at : high;
  }
  const AccessRange* range = allowing_range(w, i, low, high + 1);
  if (!range) return;
  if (low == high)
    return TouchedPages::count_atomics(w.atomics, low + range->to_physical,
                                       uint32_t(__builtin_popcountll(a.exec)));
  const uint64_t first = (low + range->to_physical) / kLine;
  if ((high + range->to_physical) / kLine - first >= 64) return;   // spread out: few meet
  uint64_t lines = 0;
  for (uint64_t left = a.exec; left; left &= left - 1)
    lines |= uint64_t(1) << ((a.at[__builtin_ctzll(left)] + range->to_physical) / kLine - first);
  for (; lines; lines &= lines - 1)
    TouchedPages::count_atomics(w.atomics, (first + uint64_t(__builtin_ctzll(lines))) * kLine, 1);
}

// FLAT, GLOBAL and buffer atomics; the old value is returned when sc0 is set.
template <class Space, class F, class T>
void atomic(Wave& w, const Inst& i) {
  Access a;
  a.exec = w.exec();
  if (a.exec == 0) return;
  bool resolved = Space::resolve(w, i, sizeof(T), a);
  if (resolved && w.atomics) count_atomics(w, i, a);
  constexpr int kSecond = sizeof(T) / 4;  // compare-and-swap carries its comparand behind the data
  for (uint64_t left = a.exec; left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    if (a.at[l] % sizeof(T)) raise_fault(w, i, Fault::MisalignedAtomic, l, a.at[l]);
    T x = lane_value<T>(w, i.src[1], 0, l);
    T y = i.src[1].dwords > kSecond ? lane_value<T>(w, i.src[1], kSecond, l) : T(0);
    T old = resolved ? modify_shared<F>(reinterpret_cast<T*>(a.at[l]), x, y)
                     : modify_lane<F>(w, i, l, a.at[l], x, y);
    if (i.sc0) set_lane_value(w, i.dst, l, old);
  }
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
