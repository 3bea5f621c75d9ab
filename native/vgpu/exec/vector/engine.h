// Generates the handlers of one vector opcode from its expression.
//
// An opcode is a struct with types D, A, B, C, flags and a static eval(). apply<O> is that for all
// lanes, kernel<O> the same as a function; direct<O> resolves operands to rows before; every encoding
// with more than source modifiers goes through run_full, which prepares operands and results around
// the same kernel.
#pragma once

#include "exec/lanes/sixteen.h"
#include "exec/vector/nans.h"
#include "host/byte_bits.h"

namespace vgpu {
namespace VGPU_TARGET {

void run_full(Wave& wave, const Inst& inst, const OpInfo& info);
// dst = exec ? result : dst, for `dwords` rows.
void merge_rows(u32* dst, const u32* result, u64 exec, int dwords);
void merge_low_halves(u32* dst, const u32* result, u64 exec);
// The source with op_sel, op_sel_hi and negation of VOP3P applied: `rows` itself or `selected`.
const u32* select_packed(const Inst& inst, int index, Shape shape, const u32* rows, u32* selected);
// changed = (row & ~clear) ^ flip
void change_signs(u32* changed, const u32* row, u32 clear, u32 flip);

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

// A scalar source, broadcast to a row.
template <int Dwords>
__attribute__((noinline)) void broadcast(u32* buffer, u64 value) {
  for (int d = 0; d < Dwords && d < 2; ++d)
    for (int i = 0; i < kLanes; ++i) buffer[d * kLanes + i] = u32(value >> (32 * d));
}

u64 special_source(const Wave& wave, int encoding);  // apart from the usual ones

VGPU_INLINE u64 scalar_value(const Wave& w, const Operand& o, int dwords) {
  if (o.kind == OperandKind::Constant) return o.value;
  if (o.kind == OperandKind::Special) return special_source(w, o.reg);
  return dwords == 1 ? w.sgpr[o.reg & 127] : w.pair(o.reg & 127);
}

template <int Dwords>
VGPU_INLINE const u32* source_rows(const Wave& w, const Operand& o, u32* buffer) {
  if (o.kind == OperandKind::Vgpr || o.kind == OperandKind::Agpr) return w.row(o);
  broadcast<Dwords>(buffer, scalar_value(w, o, Dwords));
  return buffer;
}

// A scalar source, once for every lane of a chunk.
template <int Dwords>
VGPU_INLINE Source same_for_all(u64 value, u32* buffer) {
  for (int d = 0; d < Dwords; ++d)
    for (int i = 0; i < kChunk; ++i) buffer[d * kChunk + i] = u32(value >> (32 * d));
  return {buffer, buffer + (Dwords - 1) * kChunk, 0};
}

// The per-lane mask operand: an SGPR pair where the encoding names one, VCC otherwise.
VGPU_INLINE u64 mask_operand(const Wave& w, const Operand& o) {
  if (o.kind == OperandKind::Sgpr) return w.pair(o.reg & 127);
  if (o.kind == OperandKind::Constant) return o.value;
  return w.vcc();
}
VGPU_INLINE void write_mask(Wave& w, const Inst& inst, u32 flags, u64 active) {
  const Operand& o = inst.sdst.kind == OperandKind::Sgpr ? inst.sdst : inst.dst;
  w.set_pair(o.kind == OperandKind::Sgpr ? (o.reg & 127) : kVcc, active);
  if (flags & kWritesExec) w.set_exec(active);
}

// MODE bits that send an opcode of these types through run_full when not at their default.
template <class O>
VGPU_INLINE constexpr u32 watched_mode() {
  const Shape shapes[] = {Lane<typename O::D>::shape, Lane<typename O::A>::shape,
                          Lane<typename O::B>::shape, Lane<typename O::C>::shape};
  u32 bits = 0;
  for (Shape s : shapes) {
    if (s == Shape::F32 || s == Shape::PackedF32 || s == Shape::Mixed) bits |= 0x33;
    if (s == Shape::F16 || s == Shape::PackedF16 || s == Shape::F64) bits |= 0xcc;
  }
  return bits;
}

template <class O>
inline constexpr OpInfo kInfo = {
    kernel<typename O::Computes, false>,
    kernel<typename O::Computes, (O::flags & kSaturates) != 0>,
    Lane<typename O::D>::shape,
    {Lane<typename O::A>::shape, Lane<typename O::B>::shape, Lane<typename O::C>::shape},
    O::flags};

template <class O>
void full(Wave& wave, const Inst& inst) {
  run_full(wave, inst, kInfo<O>);
}

// Applies neg and abs of VOP3 to one source; the sign is in its last row.
template <class T>
VGPU_INLINE const u32* signed_rows(const Inst& inst, int index, const u32* rows, u32* buffer) {
  constexpr Shape shape = Lane<T>::shape;
  constexpr int last = (dwords_of(shape) - 1) * kLanes;
  constexpr u32 sign = is_half_wide(shape) ? 0x8000u : 0x80000000u;
  const u32 clear = inst.abs >> index & 1 ? sign : 0u, flip = inst.neg >> index & 1 ? sign : 0u;
  if ((clear | flip) == 0) return rows;
  if (last > 0 && rows != buffer) std::memcpy(buffer, rows, size_t(last) * sizeof(u32));
  change_signs(buffer + last, rows + last, clear, flip);
  return buffer;
}

// Packed f32: which of its dwords come first and second; they move only where one is negated.
VGPU_INLINE Source selected_pair(const Inst& inst, int index, const u32* rows, u32* buffer) {
  if ((inst.neg | inst.neg_hi) >> index & 1)
    return rows_at(select_packed(inst, index, Shape::PackedF32, rows, buffer));
  return {rows + (inst.op_sel >> index & 1) * kLanes, rows + (inst.op_sel_hi >> index & 1) * kLanes,
          kChunk};
}

template <class T, bool Modified>
VGPU_INLINE Source resolve(const Wave& wave, const Inst& inst, int index, u32* buffer) {
  constexpr Shape shape = Lane<T>::shape;
  constexpr int dwords = dwords_of(shape);
  if constexpr (dwords == 0) {
    return {};
  } else if constexpr (!Modified && dwords <= 2) {
    const Operand& operand = inst.src[index];
    if (operand.kind == OperandKind::Vgpr || operand.kind == OperandKind::Agpr)
      return rows_at(wave.row(operand));
    return same_for_all<dwords>(scalar_value(wave, operand, dwords), buffer);
  } else {
    const u32* rows = source_rows<dwords>(wave, inst.src[index], buffer);
    if constexpr (!Modified) return rows_at(rows);
    if constexpr (is_packed(shape))
      if (inst.format == Format::VOP3P) {
        if constexpr (shape == Shape::PackedF32) return selected_pair(inst, index, rows, buffer);
        else return rows_at(select_packed(inst, index, shape, rows, buffer));
      }
    return rows_at(signed_rows<T>(inst, index, rows, buffer));
  }
}

// Whether an opcode computes with single dwords: its loop is short, and worth a copy without a call.
template <class O>
VGPU_INLINE constexpr bool is_short() {
  const Shape shapes[] = {Lane<typename O::D>::shape, Lane<typename O::A>::shape,
                          Lane<typename O::B>::shape, Lane<typename O::C>::shape};
  for (Shape s : shapes)
    if (is_half_wide(s) || s == Shape::PackedF16 || s == Shape::Mixed || s == Shape::B128)
      return false;
  return Staged<typename O::A>::words + Staged<typename O::B>::words +
             Staged<typename O::C>::words + Staged<typename O::D>::words ==
         4;
}

// The handler of unmodified encodings and, with Modified, of those that only negate sources, take
// their absolute value or select their halves.
template <class O, bool Modified>
void direct(Wave& wave, const Inst& inst) {
  using A = typename O::A;
  using B = typename O::B;
  using C = typename O::C;
  constexpr u32 watched = watched_mode<O>();
  if (__builtin_expect((wave.mode & watched) != (kModeDefault & watched), 0))
    return full<O>(wave, inst);
  constexpr int n0 = dwords_of(Lane<A>::shape), n1 = dwords_of(Lane<B>::shape);
  constexpr int n2 = dwords_of(Lane<C>::shape);
  constexpr int lanes = Modified || n0 > 2 || n1 > 2 || n2 > 2 ? kLanes : kChunk;
  alignas(64) u32 b0[n0 * lanes + 1], b1[n1 * lanes + 1], b2[n2 * lanes + 1];
  KernelArgs k{};
  k.exec = wave.exec();
  k.mode = wave.mode;
  if constexpr ((O::flags & kWritesMask) == 0) {
    if (k.exec == 0) return;
  }
  if constexpr (dwords_of(Lane<typename O::D>::shape) > 0) k.dst = wave.row(inst.dst);
  k.src[0] = resolve<A, Modified>(wave, inst, 0, b0);
  k.src[1] = resolve<B, Modified>(wave, inst, 1, b1);
  if constexpr ((O::flags & kAccumulates) != 0) k.src[2] = rows_at(k.dst);
  else k.src[2] = resolve<C, Modified>(wave, inst, 2, b2);
  if constexpr ((O::flags & kReadsMask) != 0) k.mask = mask_operand(wave, inst.src[n2 > 0 ? 3 : 2]);
  if constexpr (is_short<O>() && (!Modified || Lane<A>::shape == Shape::PackedF32))
    apply<typename O::Computes, false>(k);
  else kernel<typename O::Computes, false>(k);
  if constexpr ((O::flags & kWritesMask) != 0)
    write_mask(wave, inst, O::flags, k.mask_result & k.exec);
}

template <class O>
VGPU_INLINE constexpr bool has_source_modifiers() {
  const Shape shapes[] = {Lane<typename O::A>::shape, Lane<typename O::B>::shape,
                          Lane<typename O::C>::shape};
  for (Shape s : shapes)
    if (s == Shape::F32 || s == Shape::F64 || s == Shape::F16 || is_packed(s)) return true;
  return false;
}
template <class O>
VGPU_INLINE constexpr ExecFn sources_handler() {
  if constexpr (has_source_modifiers<O>()) return direct<O, true>;
  else return full<O>;
}

// --- The table language -------------------------------------------------------------------------
// An opcode file lists its opcodes in a .inc; each line names the opcode, its types, its flags and
// an expression over a, b, c (sources), mode, lane, in (mask bit), and may set out (mask bit).

#define VGPU_VECTOR_EVAL(name_, ...)                                                       \
  static VGPU_INLINE D name_([[maybe_unused]] const Mode& mode, [[maybe_unused]] int lane, \
                             [[maybe_unused]] LoadedA a, [[maybe_unused]] LoadedB b,       \
                             [[maybe_unused]] LoadedC c, [[maybe_unused]] bool in,         \
                             [[maybe_unused]] bool& out) {                                 \
    return __VA_ARGS__;                                                                    \
  }

#define VGPU_VECTOR_TYPES(D_, A_, B_, C_, flags_)      \
  using D = D_;                                        \
  using A = A_;                                        \
  using B = B_;                                        \
  using C = C_;                                        \
  using LoadedA = decltype(Lane<A>::load(nullptr, 0)); \
  using LoadedB = decltype(Lane<B>::load(nullptr, 0)); \
  using LoadedC = decltype(Lane<C>::load(nullptr, 0)); \
  static constexpr u32 flags = (flags_);

#define VGPU_DEFINE_OP(name, D, A, B, C, flags, ...)             \
  struct name {                                                  \
    using Computes = name; /* the opcode whose kernel it runs */ \
    VGPU_VECTOR_TYPES(D, A, B, C, flags)                         \
    VGPU_VECTOR_EVAL(eval, __VA_ARGS__)                          \
  };

// An integer opcode whose clamp saturates: the expression is the exact result in a wider type.
template <class D, class Wide>
VGPU_INLINE D saturate(Wide x) {
  constexpr Wide low = D(-1) < D(0) ? -(Wide(1) << (sizeof(D) * 8 - 1)) : Wide(0);
  constexpr Wide high =
      D(-1) < D(0) ? (Wide(1) << (sizeof(D) * 8 - 1)) - 1 : (Wide(1) << (sizeof(D) * 8)) - 1;
  return D(x < low ? low : x > high ? high : x);
}
#define VGPU_DEFINE_SATURATING_OP(name, D, A, B, C, flags, ...) \
  struct name {                                                 \
    using Computes = name;                                      \
    VGPU_VECTOR_TYPES(D, A, B, C, (flags) | kSaturates)         \
    VGPU_VECTOR_EVAL(eval, D(__VA_ARGS__))                      \
    VGPU_VECTOR_EVAL(eval_saturated, saturate<D>(__VA_ARGS__))  \
  };

#define VGPU_TABLE_ENTRY(name, ...) \
  {Op::name, direct<name, false>, sources_handler<name>(), full<name>, &kInfo<name>},

}  // namespace VGPU_TARGET
}  // namespace vgpu
