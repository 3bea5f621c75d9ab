// Operands of a vector opcode as its loop over the lanes sees them, a chunk at a time.
#pragma once

#include <cstring>

#include "exec/vector/opcode/op.h"

namespace vgpu {
namespace VGPU_TARGET {

// Two rows of dwords to 64 consecutive pairs, and back.
void interleave_rows(u32* pairs, const u32* rows);
void separate_rows(u32* rows, const u32* pairs);

// The rows as they are.
template <class T>
struct StagedRows {
  static constexpr int words = 1;
  static VGPU_INLINE Source open(const Source& source, u32*) { return source; }
  static VGPU_INLINE u32* result(u32* rows, u32*) { return rows; }
  static VGPU_INLINE void store(u32* rows, int lane, T v) { Lane<T>::store(rows, lane, v); }
  static VGPU_INLINE void close(u32*, const u32*) {}
};
template <class T>
struct Staged : StagedRows<T> {
  static VGPU_INLINE const u32* at(const Source& s, int chunk) { return s.low + chunk * s.step; }
  static VGPU_INLINE auto load(const u32* chunk, int i) { return Lane<T>::load(chunk, i); }
};
template <>
struct Staged<none> : StagedRows<none> {
  static VGPU_INLINE none at(const Source&, int) { return {}; }
  static VGPU_INLINE none load(none, int) { return {}; }
};

// A dword that is the same for all lanes: what is made of it is made once.
template <class T>
struct StagedSame {
  static VGPU_INLINE T at(const Source& s, int) { return Lane<T>::load(s.low, 0); }
  static VGPU_INLINE T load(T same, int) { return same; }
};

// Two dwords, which may lie in any two rows.
struct TwoRows {
  const u32 *low, *high;
};
template <class T>
struct StagedTwo : StagedRows<T> {
  static VGPU_INLINE TwoRows at(const Source& s, int chunk) {
    return {s.low + chunk * s.step, s.high + chunk * s.step};
  }
};
template <>
struct Staged<pkf> : StagedTwo<pkf> {
  static VGPU_INLINE pkf load(TwoRows p, int i) { return {as_f32(p.low[i]), as_f32(p.high[i])}; }
};
template <>
struct Staged<pair> : StagedTwo<pair> {
  static VGPU_INLINE pair load(TwoRows p, int i) { return {p.low[i], p.high[i]}; }
};

// For 64-bit types a staged copy with both dwords of a lane together, which vectorises far better
// than two separate rows.
template <class T>
struct StagedPairs {
  static constexpr int words = 2 * kLanes;
  static VGPU_INLINE const u32* open(const Source& source, u32* stage) {
    if (source.step) {
      interleave_rows(stage, source.low);
    } else {
      const u64 same = u64(*source.high) << 32 | *source.low;
      for (int i = 0; i < kLanes; ++i) std::memcpy(stage + 2 * i, &same, sizeof same);
    }
    return stage;
  }
  static VGPU_INLINE u32* result(u32*, u32* stage) { return stage; }
  static VGPU_INLINE const u32* at(const u32* stage, int chunk) {
    return stage + 2 * kChunk * chunk;
  }
  static VGPU_INLINE T load(const u32* chunk, int i) {
    T v;
    std::memcpy(&v, chunk + 2 * i, sizeof v);
    return v;
  }
  static VGPU_INLINE void store(u32* stage, int lane, T v) {
    std::memcpy(stage + 2 * lane, &v, sizeof v);
  }
  static VGPU_INLINE void close(u32* rows, const u32* stage) { separate_rows(rows, stage); }
};
template <> struct Staged<u64> : StagedPairs<u64> {};
template <> struct Staged<i64> : StagedPairs<i64> {};
template <> struct Staged<f64> : StagedPairs<f64> {};

// One lane of a source.
template <class T>
VGPU_INLINE auto source_lane(const Source& s, int lane) {
  const int at = lane / kChunk * s.step + lane % kChunk;
  if constexpr (__is_same(T, none)) return none{};
  else if constexpr (__is_same(T, pkf)) return pkf{as_f32(s.low[at]), as_f32(s.high[at])};
  else if constexpr (__is_same(T, f64))
    return __builtin_bit_cast(f64, u64(s.high[at]) << 32 | s.low[at]);
  else return Lane<T>::load(s.low, at);
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
