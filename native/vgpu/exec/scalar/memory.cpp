// Scalar memory (SMEM): loads, stores and atomics of uniform data, clocks and cache controls.
#include "exec/lanes/atomic_ops.h"
#include "exec/lanes/whole_words.h"
#include "exec/scalar/select.h"
#include "exec/wave/own_chain.h"
#include "exec/wave/services.h"
#include "memory/touched_pages.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

VGPU_INLINE int64_t scalar_offset(const Wave& w, const Inst& i) {
  int64_t offset = i.offset;
  if (i.src[1].kind == OperandKind::Sgpr) offset += w.sgpr[i.src[1].reg & 127];
  return offset;
}

VGPU_INLINE uint64_t scalar_address(const Wave& w, const Inst& i) {
  return (read64(w, i.src[0]) + uint64_t(scalar_offset(w, i))) & ~uint64_t(3);
}

// s_scratch_*: a register offset counts 64-byte units.
VGPU_INLINE uint64_t scratch_address(const Wave& w, const Inst& i) {
  int64_t offset = i.offset;
  if (i.src[1].kind == OperandKind::Sgpr) offset += int64_t(w.sgpr[i.src[1].reg & 127]) * 64;
  return (read64(w, i.src[0]) + uint64_t(offset)) & ~uint64_t(3);
}

VGPU_INLINE void require(Wave& w, const Inst& i, uint64_t address, uint32_t bytes) {
  AccessRange& range = w.ranges[(reinterpret_cast<uintptr_t>(&i) >> 8) % kAccessRanges];
  if ((address < range.low || address + bytes > range.high) &&
      !find_range(address, address + bytes, range))
    raise_fault(w, i, Fault::MemoryAccess, -1, address);
  if (w.touched) {
    TouchedPages::mark(w.touched, address + range.to_physical);
    *TouchedPages::piece(w.pieces, address + range.to_physical) = 1;
  }
  note_scalar_memory(w);
}

template <int Dwords>
VGPU_INLINE void move_dwords(void* to, const void* from, uint64_t address) {
  if constexpr (Dwords < 4) move_whole(to, from, Dwords * 4, address);
  else
    for (int d = 0; d < Dwords; d += 4)
      store_quad(static_cast<uint32_t*>(to) + d, load_quad(static_cast<const uint32_t*>(from) + d));
}

template <int Dwords>
VGPU_INLINE void load_at(Wave& w, const Inst& i, uint64_t address) {
  require(w, i, address, Dwords * 4);
  move_dwords<Dwords>(&w.sgpr[i.dst.reg & 127], reinterpret_cast<const void*>(address), address);
}

template <int Dwords>
VGPU_INLINE void store_at(Wave& w, const Inst& i, uint64_t address) {
  require(w, i, address, Dwords * 4);
  move_dwords<Dwords>(reinterpret_cast<void*>(address), &w.sgpr[i.dst.reg & 127], address);
}

template <int Dwords>
void load(Wave& w, const Inst& i) {
  load_at<Dwords>(w, i, scalar_address(w, i));
}
template <int Dwords>
void store(Wave& w, const Inst& i) {
  store_at<Dwords>(w, i, scalar_address(w, i));
}
template <int Dwords>
void scratch_load(Wave& w, const Inst& i) {
  load_at<Dwords>(w, i, scratch_address(w, i));
}
template <int Dwords>
void scratch_store(Wave& w, const Inst& i) {
  store_at<Dwords>(w, i, scratch_address(w, i));
}

// A buffer resource as scalar instructions see it: a base and a length in bytes.
struct ScalarBuffer {
  uint64_t base, bytes;

  VGPU_INLINE ScalarBuffer(const Wave& w, const Operand& o) {
    const uint32_t* words = &w.sgpr[o.reg & 124];
    base = (uint64_t(words[1] & 0xffff) << 32 | words[0]);
    uint64_t stride = (words[1] >> 16) & 0x3fff;
    bytes = uint64_t(words[2]) * (stride ? stride : 1);
  }
};

// Dwords behind the end read as 0 and are not written.
template <int Dwords, bool Store>
void buffer_move(Wave& w, const Inst& i) {
  ScalarBuffer buffer(w, i.src[0]);
  uint64_t offset = uint64_t(scalar_offset(w, i)) & ~uint64_t(3);
  for (uint32_t d = 0, dwords; d < Dwords; d += dwords, offset += dwords * 4) {
    uint32_t* data = &w.sgpr[(i.dst.reg + d) & 127];
    uint64_t address = buffer.base + offset;
    bool pair = d + 2 <= Dwords && address % 8 == 0 && offset + 8 <= buffer.bytes;
    dwords = pair ? 2 : 1;
    if (offset + dwords * 4 > buffer.bytes) {
      if (!Store) *data = 0;
      continue;
    }
    require(w, i, address, dwords * 4);
    void* memory = reinterpret_cast<void*>(address);
    if (Store) move_piece(memory, data, dwords * 4);
    else move_piece(data, memory, dwords * 4);
  }
}
template <int Dwords>
void buffer_load(Wave& w, const Inst& i) {
  buffer_move<Dwords, false>(w, i);
}
template <int Dwords>
void buffer_store(Wave& w, const Inst& i) {
  buffer_move<Dwords, true>(w, i);
}

template <class T>
VGPU_INLINE T sgpr_value(const Wave& w, int reg) {
  T v;
  std::memcpy(&v, &w.sgpr[reg & 127], sizeof v);
  return v;
}

template <class F, class T>
VGPU_INLINE void atomic_at(Wave& w, const Inst& i, uint64_t address) {
  if (address % sizeof(T)) raise_fault(w, i, Fault::MisalignedAtomic, -1, address);
  require(w, i, address, sizeof(T));
  constexpr int kDwords = sizeof(T) / 4;
  T old = modify_shared<F>(reinterpret_cast<T*>(address), sgpr_value<T>(w, i.dst.reg),
                           sgpr_value<T>(w, i.dst.reg + kDwords));
  bool returns = (i.words[0] >> 16) & 1;  // GLC
  if (returns) std::memcpy(&w.sgpr[i.dst.reg & 127], &old, sizeof old);
}

template <class F, class T>
void atomic(Wave& w, const Inst& i) {
  atomic_at<F, T>(w, i, read64(w, i.src[0]) + uint64_t(scalar_offset(w, i)));
}

template <class F, class T>
void buffer_atomic(Wave& w, const Inst& i) {
  ScalarBuffer buffer(w, i.src[0]);
  uint64_t offset = uint64_t(scalar_offset(w, i));
  if (offset + sizeof(T) <= buffer.bytes) atomic_at<F, T>(w, i, buffer.base + offset);
}

void s_memtime(Wave& w, const Inst& i) { write64(w, i.dst, core_clock(w)); }
void s_memrealtime(Wave& w, const Inst& i) { write64(w, i.dst, real_time_clock(w)); }
void no_effect(Wave&, const Inst&) {}  // caches are not modelled here: memory is always coherent

#define ATOMIC(name, F)                                                      \
  {Op::s_atomic_##name, atomic<atomic_op::F, uint32_t>},                     \
      {Op::s_atomic_##name##_x2, atomic<atomic_op::F, uint64_t>},            \
      {Op::s_buffer_atomic_##name, buffer_atomic<atomic_op::F, uint32_t>}, { \
    Op::s_buffer_atomic_##name##_x2, buffer_atomic<atomic_op::F, uint64_t>   \
  }

constexpr OpHandler kHandlers[] = {
    {Op::s_load_dword, load<1>},
    {Op::s_load_dwordx2, load<2>},
    {Op::s_load_dwordx4, load<4>},
    {Op::s_load_dwordx8, load<8>},
    {Op::s_load_dwordx16, load<16>},
    {Op::s_store_dword, store<1>},
    {Op::s_store_dwordx2, store<2>},
    {Op::s_store_dwordx4, store<4>},
    {Op::s_scratch_load_dword, scratch_load<1>},
    {Op::s_scratch_load_dwordx2, scratch_load<2>},
    {Op::s_scratch_load_dwordx4, scratch_load<4>},
    {Op::s_scratch_store_dword, scratch_store<1>},
    {Op::s_scratch_store_dwordx2, scratch_store<2>},
    {Op::s_scratch_store_dwordx4, scratch_store<4>},
    {Op::s_buffer_load_dword, buffer_load<1>},
    {Op::s_buffer_load_dwordx2, buffer_load<2>},
    {Op::s_buffer_load_dwordx4, buffer_load<4>},
    {Op::s_buffer_load_dwordx8, buffer_load<8>},
    {Op::s_buffer_load_dwordx16, buffer_load<16>},
    {Op::s_buffer_store_dword, buffer_store<1>},
    {Op::s_buffer_store_dwordx2, buffer_store<2>},
    {Op::s_buffer_store_dwordx4, buffer_store<4>},
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
    {Op::s_memtime, s_memtime},
    {Op::s_memrealtime, s_memrealtime},
    {Op::s_dcache_inv, no_effect},
    {Op::s_dcache_inv_vol, no_effect},
    {Op::s_dcache_wb, no_effect},
    {Op::s_dcache_wb_vol, no_effect},
    {Op::s_dcache_discard, no_effect},
    {Op::s_dcache_discard_x2, no_effect},
    {Op::s_atc_probe, no_effect},
    {Op::s_atc_probe_buffer, no_effect},
};

}  // namespace

HandlerTable scalar_memory_handlers() { return table_of(kHandlers); }

}  // namespace VGPU_TARGET
}  // namespace vgpu
