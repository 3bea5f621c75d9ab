// MUBUF: untyped buffer loads, stores and atomics, loads to LDS, and cache controls.
#include "exec/memory/buffer.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

// How much of the rest of a lane's data to move at once: pairs stay whole where they lie aligned
// and inside, everything else goes dword by dword, for what lies outside is left out by dwords.
VGPU_INLINE uint32_t piece_bytes(const Buffer& buffer, int l, uint32_t b, uint32_t bytes) {
  bool pair =
      bytes >= 8 && !buffer.swizzled && buffer.address(l, b) % 8 == 0 && buffer.inside(l, b, 8);
  return pair ? 8 : bytes < 4 ? bytes : 4;
}

// What lies outside reads as 0.
VGPU_INLINE void read_pieces(Wave& w, const Inst& i, const Buffer& buffer, int l, void* to,
                             uint32_t bytes) {
  std::memset(to, 0, bytes);
  for (uint32_t b = 0, piece; b < bytes; b += piece) {
    piece = piece_bytes(buffer, l, b, bytes - b);
    if (buffer.inside(l, b, piece))
      lane_read(w, i, l, buffer.address(l, b), static_cast<uint8_t*>(to) + b, piece);
  }
}

VGPU_INLINE void write_pieces(Wave& w, const Inst& i, const Buffer& buffer, int l, const void* from,
                              uint32_t bytes) {
  for (uint32_t b = 0, piece; b < bytes; b += piece) {
    piece = piece_bytes(buffer, l, b, bytes - b);
    if (buffer.inside(l, b, piece))
      lane_write(w, i, l, buffer.address(l, b), static_cast<const uint8_t*>(from) + b, piece);
  }
}

template <int Dwords>
void buffer_load(Wave& w, const Inst& i) {
  Access a;
  a.exec = w.exec();
  if (a.exec == 0) return;
  Buffer buffer(w, i);
  if (resolve_buffer(w, i, buffer, Dwords * 4, a))
    return load_resolved<GlobalSpace, Dwords>(w, i.dst, a);
  uint32_t data[kLanes][Dwords];  // read before writing: the destination may hold the address
  for (int l = 0; l < kLanes; ++l)
    if (active(a.exec, l)) read_pieces(w, i, buffer, l, data[l], sizeof data[l]);
  for (int l = 0; l < kLanes; ++l)
    for (int d = 0; d < Dwords; ++d)
      if (active(a.exec, l)) w.row(i.dst, d)[l] = data[l][d];
}

template <int Dwords>
void buffer_store(Wave& w, const Inst& i) {
  Access a;
  a.exec = w.exec();
  if (a.exec == 0) return;
  Buffer buffer(w, i);
  if (resolve_buffer(w, i, buffer, Dwords * 4, a))
    return store_resolved<GlobalSpace, Dwords>(w, i.src[1], a);
  for (uint64_t left = a.exec; left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    uint32_t data[Dwords];
    for (int d = 0; d < Dwords; ++d) data[d] = w.row(i.src[1], d)[l];
    write_pieces(w, i, buffer, l, data, sizeof data);
  }
}

template <class T, Part P>
void buffer_load_small(Wave& w, const Inst& i) {
  uint64_t exec = w.exec();
  Buffer buffer(w, i);
  uint32_t* row = w.row(i.dst);
  alignas(64) uint32_t values[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    T value{};
    if (active(exec, l)) read_pieces(w, i, buffer, l, &value, sizeof value);
    values[l] = place<T, P>(row[l], value);
  }
  blend(row, values, exec);
}

template <class T, Part P>
void buffer_store_small(Wave& w, const Inst& i) {
  Buffer buffer(w, i);
  const uint32_t* row = w.row(i.src[1]);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    T value = T(P == Part::High ? row[l] >> 16 : row[l]);
    write_pieces(w, i, buffer, l, &value, sizeof value);
  }
}

template <class T>
void buffer_load_lds(Wave& w, const Inst& i) {
  Buffer buffer(w, i);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    T value{};
    read_pieces(w, i, buffer, l, &value, sizeof value);
    write_lds_slot(w, i, l, uint32_t(int32_t(value)));
  }
}

void buffer_store_lds_dword(Wave& w, const Inst& i) {
  Buffer buffer(w, i);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    uint32_t value;
    lane_read(w, i, l, kSharedAperture + lds_slot(w, i, l), &value, 4);
    write_pieces(w, i, buffer, l, &value, 4);
  }
}

// Atomics outside the buffer do nothing and return 0.
template <class F, class T>
void buffer_atomic(Wave& w, const Inst& i) {
  Buffer buffer(w, i);
  Access a;  // those that are done
  a.exec = 0;
  constexpr int kSecond = sizeof(T) / 4;
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    uint64_t address = buffer.address(l, 0);
    T old = 0;
    if (buffer.inside(l, 0, sizeof(T))) {
      if (address % sizeof(T)) raise_fault(w, i, Fault::MisalignedAtomic, l, address);
      const AccessRange* range = allowing_range(w, i, address, address + sizeof(T));
      if (!range) raise_fault(w, i, Fault::MemoryAccess, l, address);
      touch_one(w, *range, address);
      a.at[l] = address;
      a.exec |= uint64_t(1) << l;
      T x = lane_value<T>(w, i.src[1], 0, l);
      T y = i.src[1].dwords > kSecond ? lane_value<T>(w, i.src[1], kSecond, l) : T(0);
      old = modify_shared<F>(reinterpret_cast<T*>(address), x, y);
    }
    if (i.sc0) set_lane_value(w, i.dst, l, old);
  }
  if (a.exec && w.atomics) count_atomics(w, i, a);
}

void fence(Wave&, const Inst&) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#define ATOMIC(name, F)                                                  \
  {Op::buffer_atomic_##name, buffer_atomic<atomic_op::F, uint32_t>}, {   \
    Op::buffer_atomic_##name##_x2, buffer_atomic<atomic_op::F, uint64_t> \
  }

constexpr OpHandler kHandlers[] = {
    {Op::buffer_load_ubyte, buffer_load_small<uint8_t, Part::Whole>},
    {Op::buffer_load_sbyte, buffer_load_small<int8_t, Part::Whole>},
    {Op::buffer_load_ushort, buffer_load_small<uint16_t, Part::Whole>},
    {Op::buffer_load_sshort, buffer_load_small<int16_t, Part::Whole>},
    {Op::buffer_load_ubyte_d16, buffer_load_small<uint8_t, Part::Low>},
    {Op::buffer_load_ubyte_d16_hi, buffer_load_small<uint8_t, Part::High>},
    {Op::buffer_load_sbyte_d16, buffer_load_small<int8_t, Part::Low>},
    {Op::buffer_load_sbyte_d16_hi, buffer_load_small<int8_t, Part::High>},
    {Op::buffer_load_short_d16, buffer_load_small<uint16_t, Part::Low>},
    {Op::buffer_load_short_d16_hi, buffer_load_small<uint16_t, Part::High>},
    {Op::buffer_load_dword, buffer_load<1>},
    {Op::buffer_load_dwordx2, buffer_load<2>},
    {Op::buffer_load_dwordx3, buffer_load<3>},
    {Op::buffer_load_dwordx4, buffer_load<4>},
    {Op::buffer_store_byte, buffer_store_small<uint8_t, Part::Low>},
    {Op::buffer_store_byte_d16_hi, buffer_store_small<uint8_t, Part::High>},
    {Op::buffer_store_short, buffer_store_small<uint16_t, Part::Low>},
    {Op::buffer_store_short_d16_hi, buffer_store_small<uint16_t, Part::High>},
    {Op::buffer_store_dword, buffer_store<1>},
    {Op::buffer_store_dwordx2, buffer_store<2>},
    {Op::buffer_store_dwordx3, buffer_store<3>},
    {Op::buffer_store_dwordx4, buffer_store<4>},
    {Op::buffer_store_lds_dword, buffer_store_lds_dword},
    ATOMIC(swap, Swap),
    ATOMIC(cmpswap, CompareSwap),
    ATOMIC(add, Add),
    ATOMIC(sub, Sub),
    ATOMIC(smin, SMin),
    ATOMIC(umin, UMin),
    ATOMIC(smax, SMax),
    ATOMIC(umax, UMax),
    ATOMIC(and, And),
    ATOMIC(or, Or),
    ATOMIC(xor, Xor),
    ATOMIC(inc, Inc),
    ATOMIC(dec, Dec),
    {Op::buffer_atomic_add_f32, buffer_atomic<atomic_op::FAdd, uint32_t>},
    {Op::buffer_atomic_add_f64, buffer_atomic<atomic_op::FAdd, uint64_t>},
    {Op::buffer_atomic_min_f64, buffer_atomic<atomic_op::FMin, uint64_t>},
    {Op::buffer_atomic_max_f64, buffer_atomic<atomic_op::FMax, uint64_t>},
    {Op::buffer_atomic_pk_add_f16, buffer_atomic<atomic_op::PackedAddF16, uint32_t>},
    {Op::buffer_wbl2, fence},
    {Op::buffer_inv, fence},
    {Op::buffer_wbinvl1, fence},
    {Op::buffer_wbinvl1_vol, fence},
};

constexpr OpHandler kLdsHandlers[] = {
    {Op::buffer_load_ubyte, buffer_load_lds<uint8_t>},
    {Op::buffer_load_sbyte, buffer_load_lds<int8_t>},
    {Op::buffer_load_ushort, buffer_load_lds<uint16_t>},
    {Op::buffer_load_sshort, buffer_load_lds<int16_t>},
    {Op::buffer_load_dword, buffer_load_lds<uint32_t>},
    {Op::buffer_store_lds_dword, buffer_store_lds_dword},
};

}  // namespace

HandlerTable buffer_memory_handlers() { return table_of(kHandlers); }
HandlerTable buffer_lds_handlers() { return table_of(kLdsHandlers); }

}  // namespace VGPU_TARGET
}  // namespace vgpu
