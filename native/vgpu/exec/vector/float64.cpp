// Double precision vector opcodes.
#include "exec/float/division.h"
#include "exec/vector/opcode/engine.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

VGPU_INLINE f64 round_even(f64 x) {
  constexpr f64 magic = 0x1p52;  // from here on every double is an integer
  const f64 m = as_f64(magnitude(x));
  return with_sign(m < magic ? (m + magic) - magic : x, is_negative(x));
}

// The hardware's result stays below one even where the subtraction rounds up to it.
VGPU_INLINE f64 fraction(f64 x) {
  const f64 r = x - __builtin_floor(x);
  return r >= 1.0 ? 0x1.fffffffffffffp-1 : r;
}

constexpr u64 kTwoOverPi[] = {
#include "exec/float/two_over_pi.inc"
};
constexpr int kTwoOverPiWords = int(sizeof kTwoOverPi / sizeof *kTwoOverPi);

// The 53 bits of 2/pi that start `first` bits after the binary point; zero beyond bit 1201.
VGPU_INLINE u64 two_over_pi_bits(int first) {
  constexpr int known = 1201;
  u64 r = 0;
  for (int k = 0; k < 53; ++k) {
    const int bit = first + k;
    // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): the words are a table of constants
    const u64 word = kTwoOverPi[bit / 64 % kTwoOverPiWords];
    r = r << 1 | (bit < known ? word >> (63 - bit % 64) & 1 : 0);
  }
  return r;
}

// Segment b of 2/pi for the argument reduction of x, scaled to its place and kept in range.
VGPU_INLINE f64 trig_preop(f64 x, u32 segment) {
  const int exponent = exponent_field(x);
  const int shift = int(segment & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
  const int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
  return ldexp_f64(f64(i64(two_over_pi_bits(shift))), scale);
}

#define OP VGPU_DEFINE_OP
#include "exec/vector/tables/float64.inc"
#undef OP

const VectorOp kTable[] = {
#define OP VGPU_TABLE_ENTRY
#include "exec/vector/tables/float64.inc"
};

}  // namespace

VectorTable vector_float64_ops() { return {kTable, sizeof kTable / sizeof *kTable}; }

}  // namespace VGPU_TARGET
}  // namespace vgpu
