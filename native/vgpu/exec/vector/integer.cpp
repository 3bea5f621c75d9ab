// Integer and bitwise vector opcodes.
#include "exec/vector/opcode/engine.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

__extension__ using i128 = __int128;

template <class T>
VGPU_INLINE T smaller(T a, T b) {
  return a < b ? a : b;
}
template <class T>
VGPU_INLINE T larger(T a, T b) {
  return a > b ? a : b;
}
template <class T>
VGPU_INLINE T median(T a, T b, T c) {
  return larger(smaller(a, b), smaller(larger(a, b), c));
}

VGPU_INLINE u32 count_ones(u32 x) {
  x = x - (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  return x * 0x01010101u >> 24;
}
VGPU_INLINE u32 leading_zeros(u32 x) { return x ? u32(__builtin_clz(x)) : ~0u; }
VGPU_INLINE u32 trailing_zeros(u32 x) { return x ? count_ones((x & (0u - x)) - 1) : ~0u; }
VGPU_INLINE u32 reverse_bits(u32 x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
VGPU_INLINE i32 bit_field(i32 x, u32 offset, u32 width) {
  const u32 field = u32(x >> offset) & ((1u << width) - 1);
  const u32 top = width ? 1u << (width - 1) : 0u;
  return i32((field ^ top) - top);
}
// Mask of the lanes below this one among the 32 that start at `first`.
VGPU_INLINE u32 lanes_below(int lane, int first) {
  const int n = lane - first;
  return n <= 0 ? 0u : n >= 32 ? ~0u : (1u << n) - 1;
}

// Which of four shader engines own tiles of a rectangle: x_min, y_min, x_max, y_max of two bits each;
// tile columns and rows repeat after four. Equal to the table in the ISA document of Vega.
VGPU_INLINE u32 covered_engines(u32 rectangle) {
  const u32 left = rectangle >> 6 & 3, top = rectangle >> 4 & 3;
  const u32 width = ((rectangle >> 2) - left) & 3, height = (rectangle - top) & 3;
  u32 engines = 0;
  for (u32 x = left; x <= left + width; ++x)
    for (u32 y = top; y <= top + height; ++y)
      engines |= 1u << (((x ^ y >> 1) & 1) << 1 | ((y ^ x >> 1) & 1));
  return engines;
}

VGPU_INLINE i32 signed24(u32 x) { return i32(x << 8) >> 8; }
VGPU_INLINE u32 unsigned24(u32 x) { return x & 0xffffffu; }
VGPU_INLINE u32 pack(u16 low, u16 high) { return u32(low) | u32(high) << 16; }

VGPU_INLINE i64 carry_out(bool& out, i64 exact) {
  out = (u64(exact) >> 32) != 0;
  return exact;
}
// v_mad_*64_*32: the 65th bit of the sum.
VGPU_INLINE i128 carry_out64(bool& out, i128 exact) {
  out = (u64(exact >> 64) & 1) != 0;
  return exact;
}

// 64 bits by their dwords; `by` is less than 64.
VGPU_INLINE pair shifted_left(pair x, u32 by) {
  const u32 bits = by & 31, low = x.lo << bits;
  return by & 32 ? pair{0, low} : pair{low, x.hi << bits | x.lo >> 1 >> (31 - bits)};
}
VGPU_INLINE pair shifted_right(pair x, u32 by) {
  const u32 bits = by & 31, high = x.hi >> bits;
  return by & 32 ? pair{high, 0} : pair{x.lo >> bits | x.hi << 1 << (31 - bits), high};
}
VGPU_INLINE pair sum(pair a, pair b) {
  const u32 low = a.lo + b.lo;
  return {low, a.hi + b.hi + u32(low < a.lo)};
}

VGPU_INLINE u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }
// `masked`: a zero byte of the reference does not count.
VGPU_INLINE u32 sad_bytes(u32 a, u32 b, bool masked) {
  u32 sum = 0;
  for (int k = 0; k < 32; k += 8) {
    const u32 x = a >> k & 0xff, y = b >> k & 0xff;
    sum += masked && y == 0 ? 0u : distance(x, y);
  }
  return sum;
}
VGPU_INLINE u64 quad_sad(u64 a, u32 b, u64 c, bool masked) {
  u64 r = 0;
  for (int k = 0; k < 4; ++k)
    r |= u64(u16(u32(c >> (16 * k)) + sad_bytes(u32(a >> (8 * k)), b, masked))) << (16 * k);
  return r;
}
VGPU_INLINE b128 quad_sad_wide(u64 a, u32 b, b128 c) {
  for (int k = 0; k < 4; ++k) c.word[k] += sad_bytes(u32(a >> (8 * k)), b, true);
  return c;
}
VGPU_INLINE u32 lerp_bytes(u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (int k = 0; k < 32; k += 8)
    r |= (((a >> k & 0xff) + (b >> k & 0xff) + (c >> k & 1)) >> 1) << k;
  return r;
}
// Selectors: 0..3 bytes of b, 4..7 bytes of a, 8..11 the sign of bytes 1, 3, 5, 7, 12 zero, else
// all ones.
VGPU_INLINE u32 permute_bytes(u32 a, u32 b, u32 selectors) {
  const u64 data = u64(a) << 32 | b;
  u32 r = 0;
  for (int k = 0; k < 32; k += 8) {
    const u32 s = selectors >> k & 0xff;
    const u32 byte = u32(data >> (8 * (s & 7))) & 0xff;
    const u32 sign = (data >> (16 * (s & 3) + 15) & 1) ? 0xffu : 0u;
    r |= (s < 8 ? byte : s < 12 ? sign : s == 12 ? 0u : 0xffu) << k;
  }
  return r;
}

#define OP VGPU_DEFINE_OP
#define SAT VGPU_DEFINE_SATURATING_OP
#include "exec/vector/tables/integer.inc"
#undef OP
#undef SAT
VGPU_DEFINE_OP(plain_sum, pair, pair, none, pair, kPlainOp, sum(a, c))

const VectorOp kTable[] = {
#define OP VGPU_TABLE_ENTRY
#define SAT VGPU_TABLE_ENTRY
#include "exec/vector/tables/integer.inc"
};

}  // namespace

ExecFn plain_sum_u64() { return direct<plain_sum, false>; }
VectorTable vector_integer_ops() { return {kTable, sizeof kTable / sizeof *kTable}; }

}  // namespace VGPU_TARGET
}  // namespace vgpu
