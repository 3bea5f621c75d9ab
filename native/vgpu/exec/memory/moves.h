// Loads and stores of a space. Fast when all lanes touch one accessible stretch, exact for any
// mixture.
#pragma once

#include "exec/lanes/masked_row.h"
#include "exec/memory/spaces.h"

namespace vgpu {
namespace VGPU_TARGET {

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
    blend_masked(row, values, exec);
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
  if (Dwords == 1 && a.in_groups) return load_groups(a.at, row);
  if (a.with_gaps) return blend_masked(row, reinterpret_cast<const uint32_t*>(a.at[0]), a.exec);
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
  a.takes_row = !Space::kRowwise;
  a.takes_groups = Dwords == 1;
  a.takes_gaps = Dwords == 1 && Space::kShared;
  if (Space::resolve(w, i, Dwords * 4, a)) load_resolved<Space, Dwords>(w, i.dst, a);
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
    if (resolved) value = read_host<T>(a.at[l]);
    else if (active(a.exec, l)) lane_read(w, i, l, a.at[l], &value, sizeof value);
    values[l] = place<T, P>(row[l], value);
  }
  blend(row, values, a.exec);
}

template <class Space, int Dwords>
VGPU_INLINE void store_resolved(Wave& w, const Operand& source, const Access& a) {
  const uint32_t* row = w.row(source);
  if (!Space::kRowwise && moves_as_row<Space, Dwords>(a))
    return store_row<Dwords>(reinterpret_cast<void*>(a.at[0]), row);
  if (a.with_gaps) return move_masked(reinterpret_cast<uint32_t*>(a.at[0]), row, a.exec);
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
  a.takes_row = !Space::kRowwise;
  a.takes_gaps = Dwords == 1 && Space::kShared;
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
    if (resolved) write_host(a.at[l], value);
    else lane_write(w, i, l, a.at[l], &value, sizeof value);
  }
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
