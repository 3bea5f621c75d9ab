// Reading and writing scalar operands, shared by the scalar and the memory handlers.
#pragma once

#include "exec/wave/handlers.h"
#include "exec/wave/wave.h"

namespace vgpu {
namespace VGPU_TARGET {

VGPU_INLINE uint32_t read32(const Wave& w, const Operand& o) {
  if (o.kind == OperandKind::Sgpr) return w.sgpr[o.reg & 127];
  if (o.kind == OperandKind::Constant) return uint32_t(o.value);
  return uint32_t(special_value(w, o.reg));
}

VGPU_INLINE uint64_t read64(const Wave& w, const Operand& o) {
  if (o.kind == OperandKind::Sgpr) return w.pair(o.reg & 126);
  if (o.kind == OperandKind::Constant) return o.value;
  return special_value(w, o.reg);
}

VGPU_INLINE void write32(Wave& w, const Operand& o, uint32_t v) { w.sgpr[o.reg & 127] = v; }
VGPU_INLINE void write64(Wave& w, const Operand& o, uint64_t v) { w.set_pair(o.reg & 126, v); }

}  // namespace VGPU_TARGET
}  // namespace vgpu
