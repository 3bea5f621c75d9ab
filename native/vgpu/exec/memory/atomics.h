// Atomics of a space.
#pragma once

#include "exec/lanes/atomic_ops.h"
#include "exec/memory/moves.h"

namespace vgpu {
namespace VGPU_TARGET {

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

// How many lanes have the address of most of them, in each line that an atomic touches.
class LineTurns {
 public:
  // Addresses and lines are found in a table with twice as many places as there can be.
  VGPU_INLINE void add(uint64_t address) {
    const uint32_t turns = count(addresses_, address + 1);
    Place& line = place(lines_, (address >> TouchedPages::kLineShift) + 1);
    line.count = turns > line.count ? turns : line.count;
  }
  template <class Use>  // use(line, turns)
  VGPU_INLINE void for_each(Use use) const {
    for (const Place& line : lines_)
      if (line.key) use(line.key - 1, line.count);
  }

 private:
  static constexpr uint32_t kPlaces = 2 * kLanes;
  struct Place {
    uint64_t key;  // 0: free
    uint32_t count;
  };
  static VGPU_INLINE Place& place(Place* all, uint64_t key) {
    uint32_t at = uint32_t(key * 0x9e3779b97f4a7c15u >> 57);
    while (all[at].key && all[at].key != key) at = (at + 1) % kPlaces;
    all[at].key = key;
    return all[at];
  }
  static VGPU_INLINE uint32_t count(Place* all, uint64_t key) { return ++place(all, key).count; }

  Place addresses_[kPlaces] = {};
  Place lines_[kPlaces] = {};
};

// Counts how often the instruction makes others wait that have atomics on the same line: lanes with one
// address have one turn each, others in the line go together. Of lanes that are spread out few meet:
// there only those count that share an address.
VGPU_INLINE void count_atomics(Wave& w, const Inst& i, const Access& a) {
  constexpr uint64_t kNear = 64;  // lines
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
  const bool near = (high - low) >> TouchedPages::kLineShift < kNear;
  LineTurns turns;
  for (uint64_t left = a.exec; left; left &= left - 1)
    turns.add(a.at[__builtin_ctzll(left)] + range->to_physical);
  turns.for_each([&](uint64_t line, uint32_t count) {
    if (near || count > 1)
      TouchedPages::count_atomics(w.atomics, line << TouchedPages::kLineShift, count);
  });
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
