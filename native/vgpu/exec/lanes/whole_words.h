// Moving data between registers and memory that other host threads use at the same time. No word
// is torn: an aligned access of 1, 2, 4 or 8 bytes is one access of the host, one of 16 bytes is
// two of 8, and of 12 bytes the aligned 8 are one.
//
// Lanes one behind the other move as host vectors. x86 promises one access for an aligned 8 bytes
// (AVX: 16), Arm the same for both halves of an aligned 16; of wider vectors every known CPU keeps
// each aligned 8 bytes whole, since it splits them at cache lines and at multiples of 16 only. memcpy promises nothing of the kind, and the
// compiler may read plain memory twice or in halves: `pin` is what forbids it.
#pragma once

#include "exec/lanes/address_row.h"
#include "exec/lanes/sixteen.h"

namespace vgpu {
namespace VGPU_TARGET {

#if defined(__AVX512F__)
constexpr int kHostVector = 64;
#elif defined(__AVX2__)
constexpr int kHostVector = 32;
#else
constexpr int kHostVector = 16;
#endif

// As they lie in memory, at any address.
typedef uint64_t HostVector __attribute__((vector_size(kHostVector), aligned(1), may_alias));
typedef uint32_t Quad __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t TwoPairs __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t AnyPair __attribute__((aligned(1), may_alias));
typedef uint32_t AnyDword __attribute__((aligned(1), may_alias));
typedef uint16_t AnyShort __attribute__((aligned(1), may_alias));

#if defined(__x86_64__)
#define VGPU_VECTOR_REGISTER "+x"
#else
#define VGPU_VECTOR_REGISTER "+w"
#endif

// From here on the compiler knows nothing of where `v` came from: it is read, or made, once.
VGPU_INLINE HostVector pinned(HostVector v) {
  asm volatile("" : VGPU_VECTOR_REGISTER(v));
  return v;
}
VGPU_INLINE Quad pinned(Quad v) {
  asm volatile("" : VGPU_VECTOR_REGISTER(v));
  return v;
}
VGPU_INLINE uint64_t pinned(uint64_t v) {
  asm volatile("" : "+r"(v));
  return v;
}

VGPU_INLINE HostVector load_vector(const void* from) {
  return pinned(*static_cast<const HostVector*>(from));
}
VGPU_INLINE void store_vector(void* to, HostVector v) { *static_cast<HostVector*>(to) = pinned(v); }
VGPU_INLINE uint64_t load_pair(uint64_t from) {
  return pinned(*reinterpret_cast<const AnyPair*>(from));
}
VGPU_INLINE void store_pair(uint64_t to, uint64_t v) {
  *reinterpret_cast<AnyPair*>(to) = pinned(v);
}

VGPU_INLINE Quad load_quad(const void* from) { return pinned(*static_cast<const Quad*>(from)); }
VGPU_INLINE void store_quad(void* to, Quad v) { *static_cast<Quad*>(to) = pinned(v); }
VGPU_INLINE Quad load_quad(uint64_t at) { return load_quad(reinterpret_cast<const void*>(at)); }
VGPU_INLINE void store_quad(uint64_t at, Quad v) { store_quad(reinterpret_cast<void*>(at), v); }

// Four lanes of a register.
VGPU_INLINE Quad row_quad(const uint32_t* row) { return *reinterpret_cast<const Quad*>(row); }
VGPU_INLINE void set_row_quad(uint32_t* row, Quad v) { *reinterpret_cast<Quad*>(row) = v; }

// Two lanes' pairs.
VGPU_INLINE Quad load_pairs(uint64_t first, uint64_t second) {
  TwoPairs v = {*reinterpret_cast<const AnyPair*>(first),
                *reinterpret_cast<const AnyPair*>(second)};
  return pinned(Quad(v));
}
VGPU_INLINE void store_pairs(const uint64_t* at, uint32_t mask, Quad pairs) {
  TwoPairs v = TwoPairs(pinned(pairs));
  if (mask & 1) *reinterpret_cast<AnyPair*>(at[0]) = v[0];
  if (mask & 2) *reinterpret_cast<AnyPair*>(at[1]) = v[1];
}

// A multiple of the host vector.
template <int Bytes>
VGPU_INLINE void copy_vectors(void* to, const void* from) {
  static_assert(Bytes % kHostVector == 0, "whole vectors only");
  for (int b = 0; b < Bytes; b += kHostVector)
    store_vector(static_cast<char*>(to) + b, load_vector(static_cast<const char*>(from) + b));
}

// Four lanes of four dwords to four dwords of four lanes, and back.
VGPU_INLINE Quad mixed_low(Quad a, Quad b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
VGPU_INLINE Quad mixed_high(Quad a, Quad b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
VGPU_INLINE void transpose(Quad q[4]) {
  Quad a = mixed_low(q[0], q[2]), b = mixed_low(q[1], q[3]);
  Quad c = mixed_high(q[0], q[2]), d = mixed_high(q[1], q[3]);
  q[0] = mixed_low(a, b);
  q[1] = mixed_high(a, b);
  q[2] = mixed_low(c, d);
  q[3] = mixed_high(c, d);
}
VGPU_INLINE void split_pairs(Quad two, Quad more, uint32_t* rows) {
  set_row_quad(rows, __builtin_shufflevector(two, more, 0, 2, 4, 6));
  set_row_quad(rows + kLanes, __builtin_shufflevector(two, more, 1, 3, 5, 7));
}

// Four lanes of two or four dwords, each at its own address; `rows` points at the first's column.
template <int Dwords>
VGPU_INLINE void load_four(const uint64_t* at, uint32_t* rows) {
  if constexpr (Dwords == 2) {
    split_pairs(load_pairs(at[0], at[1]), load_pairs(at[2], at[3]), rows);
  } else {
    Quad q[4];
    for (int k = 0; k < 4; ++k) q[k] = load_quad(at[k]);
    transpose(q);
    for (int k = 0; k < 4; ++k) set_row_quad(rows + k * kLanes, q[k]);
  }
}
template <int Dwords>
VGPU_INLINE void store_four(const uint64_t* at, uint32_t mask, const uint32_t* rows) {
  Quad q[4];
  for (int k = 0; k < Dwords; ++k) q[k] = row_quad(rows + k * kLanes);
  if constexpr (Dwords == 2) {
    store_pairs(at, mask, mixed_low(q[0], q[1]));
    store_pairs(at + 2, mask >> 2, mixed_high(q[0], q[1]));
  } else {
    transpose(q);
    for (int k = 0; k < 4; ++k)
      if (mask >> k & 1) store_quad(at[k], q[k]);
  }
}

// --- One lane ------------------------------------------------------------------------------------

// How many bytes of the next `bytes` at `address` move at once.
VGPU_INLINE size_t whole_piece(uint64_t address, size_t bytes) {
  if (bytes >= 8 && address % 8 != 4) return 8;
  return bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
}

VGPU_INLINE void move_piece(void* to, const void* from, size_t bytes) {
  switch (bytes) {
    case 8: *static_cast<AnyPair*>(to) = pinned(*static_cast<const AnyPair*>(from)); break;
    case 4: *static_cast<AnyDword*>(to) = *static_cast<const AnyDword*>(from); break;
    case 2: *static_cast<AnyShort*>(to) = *static_cast<const AnyShort*>(from); break;
    default: *static_cast<uint8_t*>(to) = *static_cast<const uint8_t*>(from);
  }
}

// Either side may be the memory; `address` is its address.
VGPU_INLINE void move_whole(void* to, const void* from, size_t bytes, uint64_t address) {
  for (size_t done = 0, piece; done < bytes; done += piece) {
    piece = whole_piece(address + done, bytes - done);
    move_piece(static_cast<char*>(to) + done, static_cast<const char*>(from) + done, piece);
  }
}

// --- All lanes, one behind the other: register d of the lanes is row d ---------------------------

#if defined(__AVX512F__)

// Sixteen lanes of two or four dwords.
VGPU_INLINE Sixteen load_sixteen(const void* from) { return Sixteen(load_vector(from)); }
VGPU_INLINE void store_sixteen(void* to, Sixteen v) { store_vector(to, HostVector(v)); }
VGPU_INLINE Sixteen low_halves(Sixteen a, Sixteen b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}
VGPU_INLINE Sixteen high_halves(Sixteen a, Sixteen b) {
  return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30,
                                 31);
}

VGPU_INLINE void load_sixteen_pairs(const char* from, uint32_t* rows) {
  const Sixteen a = load_sixteen(from), b = load_sixteen(from + 64);
  set_row_sixteen(rows, __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24,
                                                26, 28, 30));
  set_row_sixteen(rows + kLanes, __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
                                                         21, 23, 25, 27, 29, 31));
}
VGPU_INLINE void store_sixteen_pairs(char* to, const uint32_t* rows) {
  const Sixteen a = row_sixteen(rows), b = row_sixteen(rows + kLanes);
  store_sixteen(
      to, __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
  store_sixteen(to + 64, __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                                 14, 30, 15, 31));
}

// Of eight lanes of four dwords each: the first two or the last two dwords, lane by lane.
VGPU_INLINE Sixteen front_dwords(Sixteen a, Sixteen b) {
  return __builtin_shufflevector(a, b, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
}
VGPU_INLINE Sixteen back_dwords(Sixteen a, Sixteen b) {
  return __builtin_shufflevector(a, b, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
}
VGPU_INLINE void load_sixteen_quads(const char* from, uint32_t* rows) {
  const Sixteen a = load_sixteen(from), b = load_sixteen(from + 64);
  const Sixteen c = load_sixteen(from + 128), d = load_sixteen(from + 192);
  const Sixteen front = front_dwords(a, b), more_front = front_dwords(c, d);
  const Sixteen back = back_dwords(a, b), more_back = back_dwords(c, d);
  set_row_sixteen(rows, low_halves(front, more_front));
  set_row_sixteen(rows + kLanes, high_halves(front, more_front));
  set_row_sixteen(rows + 2 * kLanes, low_halves(back, more_back));
  set_row_sixteen(rows + 3 * kLanes, high_halves(back, more_back));
}
// Eight lanes, from their first two and their last two dwords.
VGPU_INLINE void store_eight_quads(char* to, Sixteen front, Sixteen back) {
  store_sixteen(to, __builtin_shufflevector(front, back, 0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26,
                                            3, 11, 19, 27));
  store_sixteen(to + 64, __builtin_shufflevector(front, back, 4, 12, 20, 28, 5, 13, 21, 29, 6, 14,
                                                 22, 30, 7, 15, 23, 31));
}
VGPU_INLINE void store_sixteen_quads(char* to, const uint32_t* rows) {
  const Sixteen a = row_sixteen(rows), b = row_sixteen(rows + kLanes);
  const Sixteen c = row_sixteen(rows + 2 * kLanes), d = row_sixteen(rows + 3 * kLanes);
  store_eight_quads(to, low_halves(a, b), low_halves(c, d));
  store_eight_quads(to + 128, high_halves(a, b), high_halves(c, d));
}

#else

VGPU_INLINE void load_sixteen_pairs(const char* from, uint32_t* rows) {
  for (int l = 0; l < 16; l += 4, from += 32)
    split_pairs(load_quad(from), load_quad(from + 16), rows + l);
}
VGPU_INLINE void store_sixteen_pairs(char* to, const uint32_t* rows) {
  for (int l = 0; l < 16; l += 4, to += 32) {
    Quad first = row_quad(rows + l), second = row_quad(rows + kLanes + l);
    store_quad(to, mixed_low(first, second));
    store_quad(to + 16, mixed_high(first, second));
  }
}
VGPU_INLINE void load_sixteen_quads(const char* from, uint32_t* rows) {
  uint64_t at = reinterpret_cast<uint64_t>(from);
  for (int l = 0; l < 16; l += 4, at += 64) {
    uint64_t four[4] = {at, at + 16, at + 32, at + 48};
    load_four<4>(four, rows + l);
  }
}
VGPU_INLINE void store_sixteen_quads(char* to, const uint32_t* rows) {
  uint64_t at = reinterpret_cast<uint64_t>(to);
  for (int l = 0; l < 16; l += 4, at += 64) {
    uint64_t four[4] = {at, at + 16, at + 32, at + 48};
    store_four<4>(four, 15, rows + l);
  }
}

#endif

template <int Dwords>
VGPU_INLINE void load_row(const void* from, uint32_t* rows) {
  const char* data = static_cast<const char*>(from);
  if constexpr (Dwords == 1) {
    copy_vectors<kLanes * 4>(rows, from);
  } else if constexpr (Dwords == 2) {
    for (int l = 0; l < kLanes; l += 16) load_sixteen_pairs(data + l * 8, rows + l);
  } else if constexpr (Dwords == 3) {
    alignas(64) uint32_t staged[kLanes * 3];
    copy_vectors<sizeof staged>(staged, from);
    for (int l = 0; l < kLanes; ++l)
      for (int d = 0; d < 3; ++d) rows[d * kLanes + l] = staged[l * 3 + d];
  } else {
    for (int l = 0; l < kLanes; l += 16) load_sixteen_quads(data + l * 16, rows + l);
  }
}

template <int Dwords>
VGPU_INLINE void store_row(void* to, const uint32_t* rows) {
  char* data = static_cast<char*>(to);
  if constexpr (Dwords == 1) {
    copy_vectors<kLanes * 4>(to, rows);
  } else if constexpr (Dwords == 2) {
    for (int l = 0; l < kLanes; l += 16) store_sixteen_pairs(data + l * 8, rows + l);
  } else if constexpr (Dwords == 3) {
    alignas(64) uint32_t staged[kLanes * 3];
    for (int l = 0; l < kLanes; ++l)
      for (int d = 0; d < 3; ++d) staged[l * 3 + d] = rows[d * kLanes + l];
    copy_vectors<sizeof staged>(to, staged);
  } else {
    for (int l = 0; l < kLanes; l += 16) store_sixteen_quads(data + l * 16, rows + l);
  }
}

// --- Each lane at its own address ----------------------------------------------------------------

// The aligned pair of three dwords lies at the start, or behind the first.
VGPU_INLINE uint64_t before_pair(uint64_t at) { return at & 4; }

VGPU_INLINE void load_three(uint64_t at, uint32_t* data) {
  uint64_t front = load_pair(at), back = load_pair(at + 4);
  data[0] = uint32_t(front);
  data[kLanes] = before_pair(at) ? uint32_t(back) : uint32_t(front >> 32);
  data[2 * kLanes] = uint32_t(back >> 32);
}
VGPU_INLINE void store_three(uint64_t at, const uint32_t* data) {
  uint64_t skip = before_pair(at);
  const uint32_t* pair = data + skip * (kLanes / 4);
  store_pair(at + skip, uint64_t(pair[kLanes]) << 32 | pair[0]);
  *reinterpret_cast<AnyDword*>(at + 8 - 2 * skip) = data[skip ? 0 : 2 * kLanes];
}

// Sixteen lanes for each of four addresses.
VGPU_INLINE void load_groups(const uint64_t* at, uint32_t* row) {
  for (int group = 0; group < kGroups; ++group) {
    const uint32_t value = *reinterpret_cast<const AnyDword*>(at[group]);
    for (int l = 0; l < kNeighbours; ++l) row[group * kNeighbours + l] = value;
  }
}

// Neighbours often read the same dword, as those of a tile do that share a row of it.
VGPU_INLINE void gather_dwords(const uint64_t* at, uint32_t* row) {
  for (int first = 0; first < kLanes; first += kNeighbours) {
    if (all_same(at + first)) {
      const uint32_t value = *reinterpret_cast<const AnyDword*>(at[first]);
      for (int l = first; l < first + kNeighbours; ++l) row[l] = value;
    } else {
      for (int l = first; l < first + kNeighbours; ++l)
        row[l] = *reinterpret_cast<const AnyDword*>(at[l]);
    }
  }
}

template <int Dwords>
VGPU_INLINE void gather(const uint64_t* at, uint32_t* rows) {
  if constexpr (Dwords == 1) gather_dwords(at, rows);
  else if constexpr (Dwords == 3)
    for (int l = 0; l < kLanes; ++l) load_three(at[l], rows + l);
  else
    for (int l = 0; l < kLanes; l += 4) load_four<Dwords>(at + l, rows + l);
}

template <int Dwords>
VGPU_INLINE void scatter(const uint64_t* at, uint64_t exec, const uint32_t* rows) {
  if constexpr (Dwords % 2 == 0) {
    for (int l = 0; l < kLanes; l += 4)
      if (uint32_t mask = exec >> l & 15) store_four<Dwords>(at + l, mask, rows + l);
  } else {
    for (uint64_t left = exec; left; left &= left - 1) {
      int l = __builtin_ctzll(left);
      if constexpr (Dwords == 1) *reinterpret_cast<AnyDword*>(at[l]) = rows[l];
      else store_three(at[l], rows + l);
    }
  }
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
