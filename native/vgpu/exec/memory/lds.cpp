// DS: reads, writes and atomics on LDS.
#include "exec/memory/select.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

// Two elements per lane, at addr + offset0 * unit and addr + offset1 * unit.
template <int Dwords, uint32_t Unit>
void read_two(Wave& w, const Inst& i) {
  Access first, second;
  first.exec = second.exec = w.exec();
  if (first.exec == 0) return;
  uint32_t offset = uint32_t(i.offset);
  LdsSpace::resolve_at(w, i, (offset & 0xff) * Unit, Dwords * 4, first);
  LdsSpace::resolve_at(w, i, (offset >> 8 & 0xff) * Unit, Dwords * 4, second);
  Operand behind = i.dst;
  behind.reg = uint16_t(behind.reg + Dwords);
  load_resolved<LdsSpace, Dwords>(w, i.dst, first);
  load_resolved<LdsSpace, Dwords>(w, behind, second);
}

template <int Dwords, uint32_t Unit>
void write_two(Wave& w, const Inst& i) {
  Access first, second;
  first.exec = second.exec = w.exec();
  if (first.exec == 0) return;
  uint32_t offset = uint32_t(i.offset);
  LdsSpace::resolve_at(w, i, (offset & 0xff) * Unit, Dwords * 4, first);
  LdsSpace::resolve_at(w, i, (offset >> 8 & 0xff) * Unit, Dwords * 4, second);
  store_resolved<LdsSpace, Dwords>(w, i.src[1], first);
  store_resolved<LdsSpace, Dwords>(w, i.src[2], second);
}

// addtid: the lane number makes the address, M0 the base.
VGPU_INLINE uint64_t thread_slot(const Wave& w, const Inst& i, int lane) {
  return kSharedAperture + (w.sgpr[kM0] & 0xffff) + uint32_t(i.offset) + uint64_t(lane) * 4;
}

void read_addtid(Wave& w, const Inst& i) {
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    lane_read(w, i, l, thread_slot(w, i, l), &w.row(i.dst)[l], 4);
  }
}

void write_addtid(Wave& w, const Inst& i) {
  const Operand& data = i.src[1].kind == OperandKind::None ? i.src[0] : i.src[1];
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    lane_write(w, i, l, thread_slot(w, i, l), &w.row(data)[l], 4);
  }
}

template <class T>
VGPU_INLINE T* aligned_word(Wave& w, const Inst& i, int lane, uint64_t host) {
  if (host % sizeof(T))
    raise_fault(w, i, Fault::MisalignedAtomic, lane, host - reinterpret_cast<uint64_t>(w.lds));
  return reinterpret_cast<T*>(host);
}

template <class T>
VGPU_INLINE T optional_value(const Wave& w, const Operand& o, int lane) {
  return o.kind == OperandKind::None ? T(0) : lane_value<T>(w, o, 0, lane);
}

template <class F, class T, bool Returns>
void lds_atomic(Wave& w, const Inst& i) {
  Access a;
  a.exec = w.exec();
  if (a.exec == 0) return;
  LdsSpace::resolve(w, i, sizeof(T), a);
  for (uint64_t left = a.exec; left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    T* word = aligned_word<T>(w, i, l, a.at[l]);
    T a0 = optional_value<T>(w, i.src[1], l), a1 = optional_value<T>(w, i.src[2], l);
    T old = modify_own<F>(word, a0, a1);
    if (Returns) set_lane_value(w, i.dst, l, old);
  }
}

template <class T, uint32_t Unit>
void exchange_two(Wave& w, const Inst& i) {
  Access first, second;
  first.exec = second.exec = w.exec();
  if (first.exec == 0) return;
  uint32_t offset = uint32_t(i.offset);
  LdsSpace::resolve_at(w, i, (offset & 0xff) * Unit, sizeof(T), first);
  LdsSpace::resolve_at(w, i, (offset >> 8 & 0xff) * Unit, sizeof(T), second);
  for (uint64_t left = first.exec; left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    T* one = aligned_word<T>(w, i, l, first.at[l]);
    T* two = aligned_word<T>(w, i, l, second.at[l]);
    T old_one = *one, old_two = *two;
    T new_one = lane_value<T>(w, i.src[1], 0, l), new_two = lane_value<T>(w, i.src[2], 0, l);
    *one = new_one;
    *two = new_two;
    set_lane_value(w, i.dst, l, old_one);
    set_lane_value(w, i.dst, l, old_two, sizeof(T) / 4);
  }
}

// The pair of dwords is addressed by its first, whatever the low bits say.
void ds_condxchg32_rtn_b64(Wave& w, const Inst& i) {
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    uint64_t address = kSharedAperture + ((w.row(i.src[0])[l] + uint32_t(i.offset)) & 0xfff8);
    uint64_t old;
    lane_read(w, i, l, address, &old, 8);
    uint64_t with = lane_value<uint64_t>(w, i.src[1], 0, l);
    uint64_t next = atomic_op::ConditionalExchange::next<uint64_t>(old, with, 0);
    lane_write(w, i, l, address, &next, 8);
    set_lane_value(w, i.dst, l, old);
  }
}

#define ATOMIC(name, suffix, F, T)                                  \
  {Op::ds_##name##_##suffix, lds_atomic<atomic_op::F, T, false>}, { \
    Op::ds_##name##_rtn_##suffix, lds_atomic<atomic_op::F, T, true> \
  }

constexpr OpHandler kHandlers[] = {
    {Op::ds_read_u8, load_small<LdsSpace, uint8_t, Part::Whole>},
    {Op::ds_read_i8, load_small<LdsSpace, int8_t, Part::Whole>},
    {Op::ds_read_u16, load_small<LdsSpace, uint16_t, Part::Whole>},
    {Op::ds_read_i16, load_small<LdsSpace, int16_t, Part::Whole>},
    {Op::ds_read_u8_d16, load_small<LdsSpace, uint8_t, Part::Low>},
    {Op::ds_read_u8_d16_hi, load_small<LdsSpace, uint8_t, Part::High>},
    {Op::ds_read_i8_d16, load_small<LdsSpace, int8_t, Part::Low>},
    {Op::ds_read_i8_d16_hi, load_small<LdsSpace, int8_t, Part::High>},
    {Op::ds_read_u16_d16, load_small<LdsSpace, uint16_t, Part::Low>},
    {Op::ds_read_u16_d16_hi, load_small<LdsSpace, uint16_t, Part::High>},
    {Op::ds_read_b32, load_dwords<LdsSpace, 1>},
    {Op::ds_read_b64, load_dwords<LdsSpace, 2>},
    {Op::ds_read_b96, load_dwords<LdsSpace, 3>},
    {Op::ds_read_b128, load_dwords<LdsSpace, 4>},
    {Op::ds_read2_b32, read_two<1, 4>},
    {Op::ds_read2_b64, read_two<2, 8>},
    {Op::ds_read2st64_b32, read_two<1, 256>},
    {Op::ds_read2st64_b64, read_two<2, 512>},
    {Op::ds_read_addtid_b32, read_addtid},
    {Op::ds_write_b8, store_small<LdsSpace, uint8_t, Part::Low>},
    {Op::ds_write_b8_d16_hi, store_small<LdsSpace, uint8_t, Part::High>},
    {Op::ds_write_b16, store_small<LdsSpace, uint16_t, Part::Low>},
    {Op::ds_write_b16_d16_hi, store_small<LdsSpace, uint16_t, Part::High>},
    {Op::ds_write_b32, store_dwords<LdsSpace, 1>},
    {Op::ds_write_b64, store_dwords<LdsSpace, 2>},
    {Op::ds_write_b96, store_dwords<LdsSpace, 3>},
    {Op::ds_write_b128, store_dwords<LdsSpace, 4>},
    {Op::ds_write2_b32, write_two<1, 4>},
    {Op::ds_write2_b64, write_two<2, 8>},
    {Op::ds_write2st64_b32, write_two<1, 256>},
    {Op::ds_write2st64_b64, write_two<2, 512>},
    {Op::ds_write_addtid_b32, write_addtid},
    ATOMIC(add, u32, Add, uint32_t),
    ATOMIC(add, u64, Add, uint64_t),
    ATOMIC(sub, u32, Sub, uint32_t),
    ATOMIC(sub, u64, Sub, uint64_t),
    ATOMIC(rsub, u32, ReverseSub, uint32_t),
    ATOMIC(rsub, u64, ReverseSub, uint64_t),
    ATOMIC(inc, u32, Inc, uint32_t),
    ATOMIC(inc, u64, Inc, uint64_t),
    ATOMIC(dec, u32, Dec, uint32_t),
    ATOMIC(dec, u64, Dec, uint64_t),
    ATOMIC(min, i32, SMin, uint32_t),
    ATOMIC(min, i64, SMin, uint64_t),
    ATOMIC(max, i32, SMax, uint32_t),
    ATOMIC(max, i64, SMax, uint64_t),
    ATOMIC(min, u32, UMin, uint32_t),
    ATOMIC(min, u64, UMin, uint64_t),
    ATOMIC(max, u32, UMax, uint32_t),
    ATOMIC(max, u64, UMax, uint64_t),
    ATOMIC(and, b32, And, uint32_t),
    ATOMIC(and, b64, And, uint64_t),
    ATOMIC(or, b32, Or, uint32_t),
    ATOMIC(or, b64, Or, uint64_t),
    ATOMIC(xor, b32, Xor, uint32_t),
    ATOMIC(xor, b64, Xor, uint64_t),
    ATOMIC(mskor, b32, MaskOr, uint32_t),
    ATOMIC(mskor, b64, MaskOr, uint64_t),
    ATOMIC(cmpst, b32, CompareStore, uint32_t),
    ATOMIC(cmpst, b64, CompareStore, uint64_t),
    ATOMIC(cmpst, f32, FCompareStore, uint32_t),
    ATOMIC(cmpst, f64, FCompareStore, uint64_t),
    ATOMIC(add, f32, FAdd, uint32_t),
    ATOMIC(add, f64, FAdd, uint64_t),
    ATOMIC(min, f32, FMin, uint32_t),
    ATOMIC(min, f64, FMin, uint64_t),
    ATOMIC(max, f32, FMax, uint32_t),
    ATOMIC(max, f64, FMax, uint64_t),
    ATOMIC(pk_add, f16, PackedAddF16, uint32_t),
    ATOMIC(pk_add, bf16, PackedAddBF16, uint32_t),
    {Op::ds_wrap_rtn_b32, lds_atomic<atomic_op::Wrap, uint32_t, true>},
    {Op::ds_wrxchg_rtn_b32, lds_atomic<atomic_op::Swap, uint32_t, true>},
    {Op::ds_wrxchg_rtn_b64, lds_atomic<atomic_op::Swap, uint64_t, true>},
    {Op::ds_wrxchg2_rtn_b32, exchange_two<uint32_t, 4>},
    {Op::ds_wrxchg2_rtn_b64, exchange_two<uint64_t, 8>},
    {Op::ds_wrxchg2st64_rtn_b32, exchange_two<uint32_t, 256>},
    {Op::ds_wrxchg2st64_rtn_b64, exchange_two<uint64_t, 512>},
    {Op::ds_condxchg32_rtn_b64, ds_condxchg32_rtn_b64},
};

}  // namespace

HandlerTable lds_memory_handlers() { return table_of(kHandlers); }

}  // namespace VGPU_TARGET
}  // namespace vgpu
