// All 64 lanes of one vector opcode: apply<O> computes them, kernel<O> is the same as a function.
#pragma once

#include "exec/lanes/sixteen.h"
#include "exec/vector/opcode/nans.h"
#include "host/byte_bits.h"

namespace vgpu {
namespace VGPU_TARGET {

// dst = exec ? result : dst, for `dwords` rows.
void merge_rows(u32* dst, const u32* result, u64 exec, int dwords);
void merge_low_halves(u32* dst, const u32* result, u64 exec);

VGPU_INLINE bool lane_bit(u64 mask, int lane) { return (mask >> lane & 1) != 0; }

// One bit per lane to a byte (0 or 1) per lane.
VGPU_INLINE void bytes_of_bits(u64 mask, uint8_t* bytes) {
  for (int group = 0; group < 8; ++group) {
    const u64 spread = (mask >> (8 * group) & 0xff) * 0x0101010101010101ull;
    const u64 picked = spread & 0x8040201008040201ull;
    const u64 ones = (picked + 0x7f7f7f7f7f7f7f7full) >> 7 & 0x0101010101010101ull;
    std::memcpy(bytes + 8 * group, &ones, 8);
  }
}

template <class O, bool Saturate, class... Arguments>
VGPU_INLINE typename O::D evaluate(Arguments&&... arguments) {
  if constexpr (Saturate) return O::eval_saturated(arguments...);
  return O::eval(arguments...);
}

// merge_rows, without a call where all lanes are active; a result may be its own source.
template <int Dwords>
VGPU_INLINE void merge_result(u32* dst, const u32* result, u64 exec) {
  if (exec != ~0ull) return merge_rows(dst, result, exec, Dwords);
  for (int d = 0; d < Dwords; ++d)
    std::memmove(dst + d * kLanes, result + d * kLanes, kLanes * sizeof(u32));
}

// Where the lane loop takes its sources from and puts results; the mask bits are a byte per lane.
template <class S0, class S1, class S2>
struct Lanes {
  S0 s0;
  S1 s1;
  S2 s2;
  u32* result;
  const uint8_t* in;
  uint8_t* out;
};
template <class S0, class S1, class S2>
Lanes(S0, S1, S2, u32*, const uint8_t*, uint8_t*) -> Lanes<S0, S1, S2>;

// Computes all lanes. True: some result is a NaN that has to be settled.
template <class O, bool Saturate, class SA, class SB, class SC, class L>
VGPU_INLINE bool compute(const Mode& mode, const L& lanes) {
  using D = typename O::D;
  constexpr bool fix_nans = (O::flags & kPropagatesNan) != 0;
  constexpr bool reads_mask = (O::flags & kReadsMask) != 0;
  constexpr bool writes_mask = (O::flags & kWritesMask) != 0;
  bool nans = false;
  VGPU_UNROLLED
  for (int chunk = 0; chunk < kLanes / kChunk; ++chunk) {
    const auto a = SA::at(lanes.s0, chunk);
    const auto b = SB::at(lanes.s1, chunk);
    const auto c = SC::at(lanes.s2, chunk);
    u32 some = 0;
    VGPU_CHUNK_LOOP(reads_mask || writes_mask)
    for (int i = 0; i < kChunk; ++i) {
      const int lane = chunk * kChunk + i;
      bool bit = false, carry = false;
      if constexpr (reads_mask) bit = lanes.in[lane] != 0;
      const D r = evaluate<O, Saturate>(mode, lane, SA::load(a, i), SB::load(b, i), SC::load(c, i),
                                        bit, carry);
      Staged<D>::store(lanes.result, lane, r);
      if constexpr (fix_nans) some |= u32(has_nan(r));
      if constexpr (writes_mask) lanes.out[lane] = carry ? 0xff : 0;
    }
    if constexpr (fix_nans) nans |= some != 0;
  }
  return nans;
}

template <class O, bool Saturate, class L>
VGPU_INLINE bool compute(const KernelArgs& k, const L& lanes) {
  using A = typename O::A;
  using B = typename O::B;
  using SC = Staged<typename O::C>;
  const Mode mode(k.mode);
  if constexpr ((O::flags & kShiftsByA) != 0) {
    if (k.src[0].step == 0) return compute<O, Saturate, StagedSame<A>, Staged<B>, SC>(mode, lanes);
  }
  if constexpr ((O::flags & kShiftsByB) != 0) {
    if (k.src[1].step == 0) return compute<O, Saturate, Staged<A>, StagedSame<B>, SC>(mode, lanes);
  }
  return compute<O, Saturate, Staged<A>, Staged<B>, SC>(mode, lanes);
}

// Whether results are floats of their own, or two, and a NaN among them has to be settled.
template <class O>
VGPU_INLINE constexpr bool may_settle_floats() {
  return (O::flags & kPropagatesNan) != 0 &&
         (O::flags & (kKeepsHalf | kReadsMask | kWritesMask)) == 0 &&
         __is_same(typename Floats<typename O::D>::F, f32);
}

// Chunk by chunk to the destination, which may be a source, as long as no result is a NaN. Returns the
// lanes that are left.
template <class O, bool Saturate>
VGPU_INLINE u64 compute_in_place(const KernelArgs& k) {
  using D = typename O::D;
  using SA = Staged<typename O::A>;
  using SB = Staged<typename O::B>;
  using SC = Staged<typename O::C>;
  constexpr int count = Floats<D>::count;
  const Mode mode(k.mode);
  VGPU_UNROLLED
  for (int chunk = 0; chunk < kLanes / kChunk; ++chunk) {
    alignas(64) u32 part[count * kChunk];
    const auto a = SA::at(k.src[0], chunk);
    const auto b = SB::at(k.src[1], chunk);
    const auto c = SC::at(k.src[2], chunk);
    u32 some = 0;
    VGPU_CHUNK_LOOP(false)
    for (int i = 0; i < kChunk; ++i) {
      bool carry = false;
      const D r = evaluate<O, Saturate>(mode, chunk * kChunk + i, SA::load(a, i), SB::load(b, i),
                                        SC::load(c, i), false, carry);
      for (int n = 0; n < count; ++n) part[n * kChunk + i] = bits_of(Floats<D>::get(r, n));
      some |= u32(has_nan(r));
    }
    if (__builtin_expect(some != 0, 0)) return ~u64(0) << (chunk * kChunk);
    for (int n = 0; n < count; ++n)
      set_row_sixteen(k.dst + n * kLanes + chunk * kChunk, row_sixteen(part + n * kChunk));
  }
  return 0;
}

template <class O, bool Saturate>
VGPU_INLINE void apply(KernelArgs& k) {
  using D = typename O::D;
  using SA = Staged<typename O::A>;
  using SB = Staged<typename O::B>;
  using SC = Staged<typename O::C>;
  constexpr int dwords = dwords_of(Lane<D>::shape);
  constexpr bool fix_nans = (O::flags & kPropagatesNan) != 0;
  constexpr bool keep_half = (O::flags & kKeepsHalf) != 0;
  alignas(64) u32 buffer[dwords > 0 ? dwords * kLanes : 1];
  alignas(64) uint8_t in[kLanes], out[kLanes];
  alignas(64) u32 stage_a[SA::words], stage_b[SB::words], stage_c[SC::words];
  alignas(64) u32 stage_d[Staged<D>::words];
  if constexpr (may_settle_floats<O>()) {
    if (k.exec == ~0ull) k.exec = compute_in_place<O, Saturate>(k);
    if (k.exec == 0) return;
  }
  const bool direct = !fix_nans && !keep_half && k.exec == ~0ull;
  u32* rows = direct ? k.dst : buffer;
  if constexpr ((O::flags & kReadsMask) != 0) bytes_of_bits(k.mask, in);
  const Lanes lanes{SA::open(k.src[0], stage_a),
                    SB::open(k.src[1], stage_b),
                    SC::open(k.src[2], stage_c),
                    Staged<D>::result(rows, stage_d),
                    in,
                    out};
  [[maybe_unused]] const bool nans = compute<O, Saturate>(k, lanes);
  if constexpr ((O::flags & kWritesMask) != 0) k.mask_result = bits_of_64(out);
  if constexpr (dwords > 0) {
    Staged<D>::close(rows, stage_d);
    if constexpr (fix_nans) {
      if (__builtin_expect(nans, 0)) settle_nans<O>(rows, k.src[0], k.src[1], k.src[2]);
    }
    if constexpr (keep_half) {
      merge_low_halves(k.dst, rows, k.exec);
    } else {
      if (!direct) merge_result<dwords>(k.dst, rows, k.exec);
    }
  }
}

template <class O, bool Saturate>
__attribute__((noinline)) void kernel(KernelArgs& k) {
  apply<O, Saturate>(k);
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
