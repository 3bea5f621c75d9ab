// Generates the handlers of one vector opcode from its expression.
//
// An opcode is a struct with types D, A, B, C, flags and a static eval(). kernel<O> applies it to
// all lanes; direct<O> resolves operands to rows and calls it; every encoding with more than source
// modifiers goes through run_full, which prepares operands and results around the same kernel.
#pragma once

#include <emmintrin.h>

#include <cstring>

#include "exec/vector/op.h"

namespace vgpu {
namespace VGPU_TARGET {

void run_full(Wave& wave, const Inst& inst, const OpInfo& info);
// dst = exec ? result : dst, for `dwords` rows.
void merge_rows(u32* dst, const u32* result, u64 exec, int dwords);
void merge_low_halves(u32* dst, const u32* result, u64 exec);
// Two rows of dwords to 64 consecutive pairs, and back.
void interleave_rows(u32* pairs, const u32* rows);
void separate_rows(u32* rows, const u32* pairs);
// The source with op_sel, op_sel_hi and negation of VOP3P applied: `rows` itself or `selected`.
const u32* select_packed(const Inst& inst, int index, Shape shape, const u32* rows, u32* selected);
// changed = (row & ~clear) ^ flip
void change_signs(u32* changed, const u32* row, u32 clear, u32 flip);

VGPU_INLINE bool lane_bit(u64 mask, int lane) { return (mask >> lane & 1) != 0; }

// Sixty-four bytes of 0 or 0xff to one bit each.
VGPU_INLINE u64 bits_of_bytes(const uint8_t* bytes) {
  u64 r = 0;
  for (int part = 0; part < 4; ++part) {
    const __m128i v = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
    r |= u64(u32(_mm_movemask_epi8(v))) << (16 * part);
  }
  return r;
}

// One bit per lane to a byte (0 or 1) per lane.
VGPU_INLINE void bytes_of_bits(u64 mask, uint8_t* bytes) {
  for (int group = 0; group < 8; ++group) {
    const u64 spread = (mask >> (8 * group) & 0xff) * 0x0101010101010101ull;
    const u64 picked = spread & 0x8040201008040201ull;
    const u64 ones = (picked + 0x7f7f7f7f7f7f7f7full) >> 7 & 0x0101010101010101ull;
    std::memcpy(bytes + 8 * group, &ones, 8);
  }
}

// The floats inside an operand: itself, or the two of a packed one.
template <class T>
struct Floats {
  using F = T;
  static constexpr int count = 1;
  static VGPU_INLINE T get(T x, int) { return x; }
  static VGPU_INLINE void set(T& x, int, T v) { x = v; }
};
template <>
struct Floats<pkf> {
  using F = f32;
  static constexpr int count = 2;
  static VGPU_INLINE f32 get(pkf x, int k) { return k ? x.hi : x.lo; }
  static VGPU_INLINE void set(pkf& x, int k, f32 v) { (k ? x.hi : x.lo) = v; }
};
template <>
struct Floats<pkh> {
  using F = f16;
  static constexpr int count = 2;
  static VGPU_INLINE f16 get(pkh x, int k) { return f16{u16(x.bits >> (16 * k))}; }
  static VGPU_INLINE void set(pkh& x, int k, f16 v) {
    x.bits = (x.bits & (k ? 0xffffu : 0xffff0000u)) | u32(v.bits) << (16 * k);
  }
};

template <class T>
VGPU_INLINE bool has_nan(T x) {
  bool r = false;
  for (int k = 0; k < Floats<T>::count; ++k) {
    const auto f = Floats<T>::get(x, k);
    if constexpr (__is_same(decltype(f), const f16)) r |= is_nan(f);
    else r |= f != f;
  }
  return r;
}

template <class F>
VGPU_INLINE F first_nan(F fallback, int) {
  return fallback;
}
template <class F, class T, class... Rest>
VGPU_INLINE F first_nan(F fallback, int k, T x, Rest... rest) {
  if constexpr (__is_same(F, typename Floats<T>::F)) {
    const F f = Floats<T>::get(x, Floats<T>::count > 1 ? k : 0);
    if (is_nan(f)) return quieted(f);
  }
  return first_nan<F>(fallback, k, rest...);
}

// x86 and the device agree on quieting but not on which of several NaNs survives, and compilers
// commute operands: where a result is NaN, pick the source explicitly.
template <class O>
__attribute__((noinline)) void settle_nans(u32* result, const KernelArgs& k) {
  using D = typename O::D;
  using F = typename Floats<D>::F;
  for (int i = 0; i < kLanes; ++i) {
    D r = Lane<D>::load(result, i);
    for (int part = 0; part < Floats<D>::count; ++part)
      if (is_nan(Floats<D>::get(r, part)))
        Floats<D>::set(r, part,
                       first_nan<F>(default_nan<F>(), part, Lane<typename O::A>::load(k.src[0], i),
                                    Lane<typename O::B>::load(k.src[1], i),
                                    Lane<typename O::C>::load(k.src[2], i)));
    Lane<D>::store(result, i, r);
  }
}

// How the lane loop sees an operand: its rows as they are, or for 64-bit types a staged copy with
// both dwords of a lane together, which vectorises far better than two separate rows.
template <class T>
struct Staged {
  static constexpr int words = 1;
  static VGPU_INLINE const u32* open(const u32* rows, u32*) { return rows; }
  static VGPU_INLINE u32* result(u32* rows, u32*) { return rows; }
  static VGPU_INLINE auto load(const u32* p, int i) { return Lane<T>::load(p, i); }
  static VGPU_INLINE void store(u32* p, int i, T v) { Lane<T>::store(p, i, v); }
  static VGPU_INLINE void close(u32*, const u32*) {}
};
template <class T>
struct StagedPairs {
  static constexpr int words = 2 * kLanes;
  static VGPU_INLINE const u32* open(const u32* rows, u32* stage) {
    interleave_rows(stage, rows);
    return stage;
  }
  static VGPU_INLINE u32* result(u32*, u32* stage) { return stage; }
  static VGPU_INLINE T load(const u32* p, int i) {
    T v;
    std::memcpy(&v, p + 2 * i, sizeof v);
    return v;
  }
  static VGPU_INLINE void store(u32* p, int i, T v) { std::memcpy(p + 2 * i, &v, sizeof v); }
  static VGPU_INLINE void close(u32* rows, const u32* stage) { separate_rows(rows, stage); }
};
template <> struct Staged<u64> : StagedPairs<u64> {};
template <> struct Staged<i64> : StagedPairs<i64> {};
template <> struct Staged<f64> : StagedPairs<f64> {};

template <class O, bool Saturate, class... Arguments>
VGPU_INLINE typename O::D evaluate(Arguments&&... arguments) {
  if constexpr (Saturate) return O::eval_saturated(arguments...);
  return O::eval(arguments...);
}

template <class O, bool Saturate>
__attribute__((noinline)) void kernel(KernelArgs& k) {
  if constexpr ((O::flags & kCopies) != 0) return merge_rows(k.dst, k.src[0], k.exec, 1);
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
  const u32* s0 = SA::open(k.src[0], stage_a);
  const u32* s1 = SB::open(k.src[1], stage_b);
  const u32* s2 = SC::open(k.src[2], stage_c);
  const bool direct = !fix_nans && !keep_half && k.exec == ~0ull;
  u32* rows = direct ? k.dst : buffer;
  u32* result = Staged<D>::result(rows, stage_d);
  const Mode mode(k.mode);
  if constexpr ((O::flags & kReadsMask) != 0) bytes_of_bits(k.mask, in);
  u32 nans = 0;
  VGPU_LANE_LOOP
  for (int i = 0; i < kLanes; ++i) {
    bool bit = false, carry = false;
    if constexpr ((O::flags & kReadsMask) != 0) bit = in[i] != 0;
    const D r = evaluate<O, Saturate>(mode, i, SA::load(s0, i), SB::load(s1, i), SC::load(s2, i),
                                      bit, carry);
    Staged<D>::store(result, i, r);
    if constexpr (fix_nans) nans |= u32(has_nan(r));
    if constexpr ((O::flags & kWritesMask) != 0) out[i] = carry ? 0xff : 0;
  }
  if constexpr ((O::flags & kWritesMask) != 0) k.mask_result = bits_of_bytes(out);
  if constexpr (dwords > 0) {
    Staged<D>::close(rows, stage_d);
    if constexpr (fix_nans) {
      if (nans) settle_nans<O>(rows, k);
    }
    if constexpr (keep_half) {
      merge_low_halves(k.dst, rows, k.exec);
    } else {
      if (!direct) merge_rows(k.dst, rows, k.exec, dwords);
    }
  }
}

// A scalar source, broadcast to a row.
template <int Dwords>
__attribute__((noinline)) void broadcast(u32* buffer, u64 value) {
  for (int d = 0; d < Dwords && d < 2; ++d)
    for (int i = 0; i < kLanes; ++i) buffer[d * kLanes + i] = u32(value >> (32 * d));
}

VGPU_INLINE u64 scalar_value(const Wave& w, const Operand& o, int dwords) {
  if (o.kind == OperandKind::Constant) return o.value;
  if (o.kind == OperandKind::Special) return special_value(w, o.reg);
  return dwords == 1 ? w.sgpr[o.reg & 127] : w.pair(o.reg & 127);
}

template <int Dwords>
VGPU_INLINE const u32* source_rows(const Wave& w, const Operand& o, u32* buffer) {
  if (o.kind == OperandKind::Vgpr || o.kind == OperandKind::Agpr) return w.row(o);
  broadcast<Dwords>(buffer, scalar_value(w, o, Dwords));
  return buffer;
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

template <class T, bool Modified>
VGPU_INLINE const u32* resolve(const Wave& wave, const Inst& inst, int index, u32* buffer) {
  constexpr int dwords = dwords_of(Lane<T>::shape);
  if constexpr (dwords == 0) return nullptr;
  else {
    const u32* rows = source_rows<dwords>(wave, inst.src[index], buffer);
    if constexpr (Modified && is_packed(Lane<T>::shape))
      if (inst.format == Format::VOP3P)
        return select_packed(inst, index, Lane<T>::shape, rows, buffer);
    if constexpr (Modified) return signed_rows<T>(inst, index, rows, buffer);
    return rows;
  }
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
  alignas(64) u32 b0[n0 * kLanes + 1], b1[n1 * kLanes + 1], b2[n2 * kLanes + 1];
  KernelArgs k{};
  k.exec = wave.exec();
  k.mode = wave.mode;
  if constexpr ((O::flags & kWritesMask) == 0) {
    if (k.exec == 0) return;
  }
  if constexpr (dwords_of(Lane<typename O::D>::shape) > 0) k.dst = wave.row(inst.dst);
  k.src[0] = resolve<A, Modified>(wave, inst, 0, b0);
  k.src[1] = resolve<B, Modified>(wave, inst, 1, b1);
  if constexpr ((O::flags & kAccumulates) != 0) k.src[2] = k.dst;
  else k.src[2] = resolve<C, Modified>(wave, inst, 2, b2);
  if constexpr ((O::flags & kReadsMask) != 0) k.mask = mask_operand(wave, inst.src[n2 > 0 ? 3 : 2]);
  kernel<typename O::Computes, false>(k);
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
