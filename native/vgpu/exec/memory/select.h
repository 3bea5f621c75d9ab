// What the memory handler files offer to select_memory, and what they share.
#pragma once

#include "exec/memory/atomics.h"
#include "exec/memory/moves.h"
#include "exec/wave/handler_table.h"

namespace vgpu {
namespace VGPU_TARGET {

HandlerTable global_memory_handlers();  // FLAT, GLOBAL, SCRATCH
HandlerTable buffer_memory_handlers();  // MUBUF
HandlerTable buffer_lds_handlers();     // MUBUF with the lds bit: loads straight into LDS
HandlerTable typed_memory_handlers();   // MTBUF and the format instructions of MUBUF
HandlerTable lds_memory_handlers();     // DS reads, writes and atomics
HandlerTable lds_lane_handlers();       // DS across lanes, counters and global wave sync

// Where a lane's slot of a load to LDS lies.
VGPU_INLINE uint64_t lds_slot(const Wave& w, const Inst& i, int lane) {
  uint32_t base = (w.sgpr[kM0] & 0xffff) + uint32_t(i.offset);
  return uint64_t(base) + uint64_t(lane) * 4;
}

VGPU_INLINE void write_lds_slot(Wave& w, const Inst& i, int lane, uint32_t value) {
  lane_write(w, i, lane, kSharedAperture + lds_slot(w, i, lane), &value, 4);
}

// clang-format off: a table
#define VGPU_ATOMIC_WIDTHS(prefix, Space, name, F)                       \
  {Op::prefix##_atomic_##name, atomic<Space, atomic_op::F, uint32_t>},   \
  {Op::prefix##_atomic_##name##_x2, atomic<Space, atomic_op::F, uint64_t>}

#define VGPU_ATOMIC_ENTRIES(prefix, Space)                                       \
  VGPU_ATOMIC_WIDTHS(prefix, Space, swap, Swap),                                 \
  VGPU_ATOMIC_WIDTHS(prefix, Space, cmpswap, CompareSwap),                       \
  VGPU_ATOMIC_WIDTHS(prefix, Space, add, Add),                                   \
  VGPU_ATOMIC_WIDTHS(prefix, Space, sub, Sub),                                   \
  VGPU_ATOMIC_WIDTHS(prefix, Space, smin, SMin),                                 \
  VGPU_ATOMIC_WIDTHS(prefix, Space, umin, UMin),                                 \
  VGPU_ATOMIC_WIDTHS(prefix, Space, smax, SMax),                                 \
  VGPU_ATOMIC_WIDTHS(prefix, Space, umax, UMax),                                 \
  VGPU_ATOMIC_WIDTHS(prefix, Space, and, And),                                   \
  VGPU_ATOMIC_WIDTHS(prefix, Space, or, Or),                                     \
  VGPU_ATOMIC_WIDTHS(prefix, Space, xor, Xor),                                   \
  VGPU_ATOMIC_WIDTHS(prefix, Space, inc, Inc),                                   \
  VGPU_ATOMIC_WIDTHS(prefix, Space, dec, Dec),                                   \
  {Op::prefix##_atomic_add_f32, atomic<Space, atomic_op::FAdd, uint32_t>},       \
  {Op::prefix##_atomic_add_f64, atomic<Space, atomic_op::FAdd, uint64_t>},       \
  {Op::prefix##_atomic_min_f64, atomic<Space, atomic_op::FMin, uint64_t>},       \
  {Op::prefix##_atomic_max_f64, atomic<Space, atomic_op::FMax, uint64_t>},       \
  {Op::prefix##_atomic_pk_add_f16, atomic<Space, atomic_op::PackedAddF16, uint32_t>}
// clang-format on

}  // namespace VGPU_TARGET
}  // namespace vgpu
