// Chooses the handler of a vector instruction by what modifies it.
#include "exec/vector/modifiers.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

// Every opcode's entry by Op, built from the tables on first use.
struct Directory {
  const VectorOp* entries[size_t(Op::count_)] = {};
  Directory() {
    const VectorTable tables[] = {vector_integer_ops(), vector_float32_ops(), vector_float64_ops(),
                                  vector_half_ops(),    vector_convert_ops(), vector_compare_ops(),
                                  vector_packed_ops(),  vector_lane_ops()};
    for (const VectorTable& table : tables)
      for (size_t i = 0; i < table.count; ++i)
        entries[size_t(table.entries[i].op)] = &table.entries[i];
  }
};

const VectorOp* find(Op op) {
  static const Directory directory;
  return op < Op::count_ ? directory.entries[size_t(op)] : nullptr;
}

// Whether nothing but neg, abs and the halves of VOP3P sources modifies the instruction.
bool is_direct(const Inst& inst, const OpInfo& info) {
  if (info.flags & kAlwaysFull || inst.modifier != Modifier::Plain) return false;
  return !inst.omod && !inst.clamp && (inst.format == Format::VOP3P || inst.op_sel == 0);
}

bool sources_are_plain(const Inst& inst, const OpInfo& info) {
  if (inst.neg || inst.abs) return false;
  for (int s = 0; s < 3; ++s)
    if (!packed_selection(inst, s, info.src[s]).is_default()) return false;
  return true;
}

bool adds_unshifted(const Inst& inst) {
  const Operand& shift = inst.src[1];
  return inst.op == Op::v_lshl_add_u64 && shift.kind == OperandKind::Constant && shift.value == 0;
}

}  // namespace

ExecFn select_vector(const Inst& inst) {
  const VectorOp* op = find(inst.op);
  if (!op) return nullptr;
  if (!op->info) return op->plain;
  if (!is_direct(inst, *op->info)) return op->full;
  if (!sources_are_plain(inst, *op->info)) return op->sources;
  return adds_unshifted(inst) ? plain_sum_u64() : op->plain;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
