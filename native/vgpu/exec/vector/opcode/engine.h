// Generates the handlers of one vector opcode from its expression.
//
// An opcode is a struct with types D, A, B, C, flags and a static eval(). direct<O> resolves operands
// to rows before all lanes are computed (vector/opcode/compute.h); every encoding with more than source
// modifiers goes through run_full, which prepares operands and results around the same kernel.
#pragma once

#include "exec/vector/opcode/compute.h"

namespace vgpu {
namespace VGPU_TARGET {

void run_full(Wave& wave, const Inst& inst, const OpInfo& info);
// The source with op_sel, op_sel_hi and negation of VOP3P applied: `rows` itself or `selected`.
const u32* select_packed(const Inst& inst, int index, Shape shape, const u32* rows, u32* selected);
// changed = (row & ~clear) ^ flip
void change_signs(u32* changed, const u32* row, u32 clear, u32 flip);

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
