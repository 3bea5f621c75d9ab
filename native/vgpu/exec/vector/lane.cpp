// Lane and accumulator moves.
#include "exec/vector/opcode/engine.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

// Exception flags do not exist here, so clearing them is nothing.
void nothing(Wave&, const Inst&) {}

u32 lane_value(const Wave& w, const Operand& o, u32 lane) {
  if (o.kind == OperandKind::Vgpr || o.kind == OperandKind::Agpr) return w.row(o)[lane % kLanes];
  return u32(scalar_value(w, o, 1));
}

void read_first_lane(Wave& w, const Inst& inst) {
  const u64 exec = w.exec();
  const u32 lane = exec ? u32(__builtin_ctzll(exec)) : 0;
  w.sgpr[inst.dst.reg & 127] = lane_value(w, inst.src[0], lane);
}

void read_lane(Wave& w, const Inst& inst) {
  const u32 lane = u32(scalar_value(w, inst.src[1], 1));
  w.sgpr[inst.dst.reg & 127] = lane_value(w, inst.src[0], lane);
}

void write_lane(Wave& w, const Inst& inst) {
  const u32 lane = u32(scalar_value(w, inst.src[1], 1));
  w.row(inst.dst)[lane % kLanes] = u32(scalar_value(w, inst.src[0], 1));
}

void swap_rows(Wave& w, const Inst& inst) {
  u32 *first = w.row(inst.dst), *second = w.row(inst.src[0]);
  u32 saved[kLanes];
  std::memcpy(saved, first, sizeof saved);
  merge_rows(first, second, w.exec(), 1);
  merge_rows(second, saved, w.exec(), 1);
}

#define OP VGPU_DEFINE_OP
#define SPECIAL(name, handler)
#include "exec/vector/tables/lane.inc"
#undef OP
#undef SPECIAL

const VectorOp kTable[] = {
#define OP VGPU_TABLE_ENTRY
#define SPECIAL(name, handler) {Op::name, handler, handler, handler, nullptr},
#include "exec/vector/tables/lane.inc"
};

}  // namespace

VectorTable vector_lane_ops() { return {kTable, sizeof kTable / sizeof *kTable}; }

}  // namespace VGPU_TARGET
}  // namespace vgpu
