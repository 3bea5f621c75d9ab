// What a vector opcode is made of: its types, its flags and one expression. The handlers for all
// encodings are generated from that (vector/opcode/engine.h, vector/full.cpp).
#pragma once

#include "exec/float/half.h"

// Lanes never depend on each other, whatever registers overlap. Where an expression does not
// vectorise (the baseline has no fused multiply-add) the plain loop is meant.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define VGPU_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
// Of a chunk: unrolled first it would no longer be a loop that can be vectorised. A NEON register
// holds a quarter of a chunk's dwords: side by side they load and store in pairs. Masks are bytes,
// and a chunk of them is one register already.
#define VGPU_PRAGMA(text) _Pragma(#text)
#if defined(__aarch64__)
#define VGPU_CHUNK_LOOP(has_mask)                                                      \
  VGPU_PRAGMA(clang loop vectorize(assume_safety) interleave_count((has_mask) ? 1 : 4) \
                  unroll(disable))
#else
#define VGPU_CHUNK_LOOP(has_mask) VGPU_PRAGMA(clang loop vectorize(assume_safety) unroll(disable))
#endif
#define VGPU_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define VGPU_LANE_LOOP _Pragma("GCC ivdep")
#define VGPU_CHUNK_LOOP(has_mask) _Pragma("GCC ivdep")
#define VGPU_UNROLLED _Pragma("GCC unroll 4")
#endif

namespace vgpu {
namespace VGPU_TARGET {

// What an operand is to the modifiers: how wide, and where its sign and denormals are.
enum class Shape : uint8_t {
  None,
  B16,
  F16,
  B32,
  F32,
  B64,
  F64,
  PackedB16,
  PackedF16,
  PackedF32,
  Mixed,
  B128,
};

VGPU_INLINE constexpr int dwords_of(Shape s) {
  switch (s) {
    case Shape::None: return 0;
    case Shape::B64:
    case Shape::F64:
    case Shape::PackedF32: return 2;
    case Shape::B128: return 4;
    default: return 1;
  }
}
VGPU_INLINE constexpr bool is_half_wide(Shape s) { return s == Shape::B16 || s == Shape::F16; }
VGPU_INLINE constexpr bool is_packed(Shape s) {
  return s == Shape::PackedB16 || s == Shape::PackedF16 || s == Shape::PackedF32;
}

// Packed operands: halves (or dwords) already selected and negated when an expression sees them.
// clang-format off: a table
struct pk16 { u32 bits; };
struct pkh { u32 bits; };      // two f16
struct pkf { f32 lo, hi; };
struct mixed { u32 bits; };    // f16 half or f32, converted to f32 bits before the expression
struct pair { u32 lo, hi; };   // 64 bits whose arithmetic is that of its dwords
struct none {};
struct b128 { u32 word[4]; };
// clang-format on

// Reading and writing one lane of an operand; dword d of an operand is the row 64 * d further on.
template <class T>
struct Lane {
  static constexpr Shape shape = Shape::B32;
  static VGPU_INLINE T load(const u32* row, int i) { return __builtin_bit_cast(T, row[i]); }
  static VGPU_INLINE void store(u32* row, int i, T v) { row[i] = __builtin_bit_cast(u32, v); }
};
template <>
struct Lane<f32> : Lane<u32> {
  static constexpr Shape shape = Shape::F32;
  static VGPU_INLINE f32 load(const u32* row, int i) { return as_f32(row[i]); }
  static VGPU_INLINE void store(u32* row, int i, f32 v) { row[i] = bits_of(v); }
};
template <class T>
struct Lane16 {
  static constexpr Shape shape = Shape::B16;
  static VGPU_INLINE T load(const u32* row, int i) { return T(row[i]); }
  static VGPU_INLINE void store(u32* row, int i, T v) { row[i] = u16(v); }
};
template <> struct Lane<u16> : Lane16<u16> {};
template <> struct Lane<i16> : Lane16<i16> {};
template <>
struct Lane<f16> {
  static constexpr Shape shape = Shape::F16;
  static VGPU_INLINE f16 load(const u32* row, int i) { return f16{u16(row[i])}; }
  static VGPU_INLINE void store(u32* row, int i, f16 v) { row[i] = v.bits; }
};
template <class T, Shape S>
struct Lane64 {
  static constexpr Shape shape = S;
  static VGPU_INLINE T load(const u32* row, int i) {
    return __builtin_bit_cast(T, u64(row[i]) | u64(row[i + kLanes]) << 32);
  }
  static VGPU_INLINE void store(u32* row, int i, T v) {
    const u64 b = __builtin_bit_cast(u64, v);
    row[i] = u32(b);
    row[i + kLanes] = u32(b >> 32);
  }
};
template <> struct Lane<u64> : Lane64<u64, Shape::B64> {};
template <> struct Lane<i64> : Lane64<i64, Shape::B64> {};
template <> struct Lane<f64> : Lane64<f64, Shape::F64> {};
template <> struct Lane<pk16> : Lane<u32> {
  static constexpr Shape shape = Shape::PackedB16;
  static VGPU_INLINE pk16 load(const u32* row, int i) { return pk16{row[i]}; }
  static VGPU_INLINE void store(u32* row, int i, pk16 v) { row[i] = v.bits; }
};
template <> struct Lane<pkh> : Lane<u32> {
  static constexpr Shape shape = Shape::PackedF16;
  static VGPU_INLINE pkh load(const u32* row, int i) { return pkh{row[i]}; }
  static VGPU_INLINE void store(u32* row, int i, pkh v) { row[i] = v.bits; }
};
template <> struct Lane<mixed> : Lane<u32> {
  static constexpr Shape shape = Shape::Mixed;
  static VGPU_INLINE f32 load(const u32* row, int i) { return as_f32(row[i]); }
};
template <>
struct Lane<pkf> {
  static constexpr Shape shape = Shape::PackedF32;
  static VGPU_INLINE pkf load(const u32* row, int i) {
    return pkf{as_f32(row[i]), as_f32(row[i + kLanes])};
  }
  static VGPU_INLINE void store(u32* row, int i, pkf v) {
    row[i] = bits_of(v.lo);
    row[i + kLanes] = bits_of(v.hi);
  }
};
template <>
struct Lane<pair> {
  static constexpr Shape shape = Shape::B64;
  static VGPU_INLINE pair load(const u32* row, int i) { return pair{row[i], row[i + kLanes]}; }
  static VGPU_INLINE void store(u32* row, int i, pair v) {
    row[i] = v.lo;
    row[i + kLanes] = v.hi;
  }
};
template <>
struct Lane<b128> {
  static constexpr Shape shape = Shape::B128;
  static VGPU_INLINE b128 load(const u32* row, int i) {
    return b128{{row[i], row[i + kLanes], row[i + 2 * kLanes], row[i + 3 * kLanes]}};
  }
  static VGPU_INLINE void store(u32* row, int i, b128 v) {
    for (int d = 0; d < 4; ++d) row[i + d * kLanes] = v.word[d];
  }
};
template <>
struct Lane<none> {
  static constexpr Shape shape = Shape::None;
  static VGPU_INLINE none load(const u32*, int) { return {}; }
  static VGPU_INLINE void store(u32*, int, none) {}
};

// Properties of an opcode that its types do not tell.
enum OpFlag : u32 {
  kPlainOp = 0,
  kPropagatesNan = 1 << 0,  // a NaN result is the first NaN source, quieted, or the default NaN
  kRounds = 1 << 1,         // depends on MODE's rounding of its destination type
  kAccumulates = 1 << 2,    // the destination is the last source
  kKeepsHalf = 1 << 3,      // a 16-bit result leaves the other half of the register alone
  kHighHalf = 1 << 4,       // ... and goes to the high half
  kByteResult = 1 << 5,     // op_sel[3:2] choose the byte, the others stay
  kReadsMask = 1 << 6,      // one bit per lane from VCC or an SGPR pair
  kWritesMask = 1 << 7,     // one bit per lane to VCC or an SGPR pair
  kWritesExec = 1 << 8,     // v_cmpx
  kSaturates = 1 << 9,      // clamp saturates the integer result
  kAlwaysFull = 1 << 10,    // the plain encoding already needs the modifiers' path
  kRawBits = 1 << 11,       // float operands are moved or inspected: no flushing, scaling, clamping
  kShiftsByA = 1 << 12,     // that source counts bits, and is mostly the same for all lanes
  kShiftsByB = 1 << 13,
  kArithmetic = kPropagatesNan | kRounds,
};

// MODE as expressions need it.
struct Mode {
  bool ieee;
  bool keep_finite;  // FP16_OVFL
  HalfRounding half;
  u32 round32;  // the raw f32 round field

  explicit VGPU_INLINE Mode(u32 mode)
      : ieee((mode >> 9 & 1) != 0),
        keep_finite((mode >> 23 & 1) != 0),
        half(half_rounding(Round(mode >> 2 & 3), keep_finite)),
        round32(mode & 3) {}
};

// The lane loop goes over this many lanes at a time.
constexpr int kChunk = 16;

// Where a kernel finds a source: a row of each dword, or `kChunk` times the value of all lanes.
struct Source {
  const u32 *low, *high;  // the first two dwords; further ones lie behind
  int step;               // from one chunk to the next: kChunk, or 0 where all are the same
};
VGPU_INLINE Source rows_at(const u32* rows) { return {rows, rows + kLanes, kChunk}; }

// One kernel computes all 64 lanes. With a full exec mask it may write the destination directly;
// lanes only ever read and write their own column, so overlapping operands are harmless.
struct KernelArgs {
  u32* dst;
  Source src[3];
  u64 exec;
  u64 mask;         // kReadsMask
  u64 mask_result;  // kWritesMask: all lanes, exec not applied
  u32 mode;
};
using Kernel = void (*)(KernelArgs&);

struct OpInfo {
  Kernel kernel, saturating;
  Shape dst, src[3];
  u32 flags;
};

struct VectorOp {
  Op op;
  ExecFn plain, sources, full;  // unmodified; VOP3 and VOP3P source modifiers; everything
  const OpInfo* info;
};
struct VectorTable {
  const VectorOp* entries;
  size_t count;
};

// One table per file of opcodes.
VectorTable vector_integer_ops();
VectorTable vector_float32_ops();
VectorTable vector_float64_ops();
VectorTable vector_half_ops();
VectorTable vector_convert_ops();
VectorTable vector_compare_ops();
VectorTable vector_packed_ops();
VectorTable vector_lane_ops();

// v_lshl_add_u64 by 0: how compilers add 64 bits.
ExecFn plain_sum_u64();

}  // namespace VGPU_TARGET
}  // namespace vgpu
